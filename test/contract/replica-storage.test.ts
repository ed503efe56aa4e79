import { describe, expect, test } from 'vitest';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import type { DecisionDraft } from '../../src/model/decision-drafts.ts';
import { actionId, workspaceId, type Digest } from '../../src/model/ids.ts';
import { REPLICA_LIMITS } from '../../src/replica/limits.ts';
import { saveDecisions } from '../../src/replica/outbox/save-decisions.ts';
import type { OutboxEntry, ReplicaStorage } from '../../src/replica/ports.ts';
import { decisionHash } from '../../src/trust/decision.ts';
import { STORAGES } from '../support/replica-storages.ts';

const { sha256 } = nodeCrypto;
const SIGNER = nodeSigner(new Uint8Array(32).fill(3));
const HOME = homeIdOf(sha256, SIGNER.publicKey);
const DEVICE = deviceIdOf(sha256, SIGNER.publicKey);
const [A, B] = [workspaceId(sha256(Uint8Array.of(1))), workspaceId(sha256(Uint8Array.of(2)))];
const DIGEST = '0'.repeat(64) as Digest; // reason: 64 digits

function draft(items = 1, workspace = A): DecisionDraft {
  return {
    v: 1,
    home: HOME,
    workspace,
    device: DEVICE,
    kind: 'reject',
    items: Array.from({ length: items }, (_, at) => ({
      id: actionId(sha256(Uint8Array.of(at, at >> 8))),
      digest: DIGEST,
    })),
    holdsLifted: [],
    seen: null,
  };
}

/** A window that signs as slowly as WebCrypto: other things happen in between. */
function save(storage: ReplicaStorage, workspace = A, items = 1): Promise<readonly OutboxEntry[]> {
  const signer = {
    publicKey: SIGNER.publicKey,
    sign: async (message: Uint8Array) => {
      await new Promise((resolve) => void setImmediate(resolve));
      return SIGNER.sign(message);
    },
  };
  return saveDecisions({ outbox: storage.outbox, signer, crypto: nodeCrypto, batchId: 'b' }, workspace, [
    draft(items, workspace),
  ]);
}

describe.each(STORAGES)('device storage: $name', ({ open }) => {
  test('[DC-2] numbers decisions without gaps, each naming the one before, per workspace', async () => {
    const storage = await (await open())();
    await save(storage);
    await save(storage, B);
    await save(storage);
    const { waiting } = await storage.outbox.read();
    expect(waiting.filter(({ workspace }) => workspace === A).map(({ n }) => n)).toEqual([1, 2]);
    expect(waiting.filter(({ workspace }) => workspace === B).map(({ n }) => n)).toEqual([1]);
    expectChained(waiting.filter(({ workspace }) => workspace === A));
  });

  test('[DC-2] windows that decide at once never share a number and never leave one out', async () => {
    const window = await open();
    const windows = await Promise.all([window(), window(), window()]);
    await Promise.all(windows.flatMap((storage) => Array.from({ length: 6 }, () => save(storage))));
    const { waiting } = await windows[0].outbox.read();
    expect(waiting.map(({ n }) => n)).toEqual(Array.from({ length: 18 }, (_, at) => at + 1));
    expectChained(waiting);
    expect(await windows[1].outbox.end(A)).toEqual({ n: 18, hash: waiting.at(-1)!.hash });
  });

  test('forgets all of a device for the next one', async () => {
    const window = await open();
    const storage = await window();
    await save(storage);
    await storage.facts.raise('head', { number: 9, value: {} });
    await storage.blobs.put('b', new Uint8Array(1));
    await storage.clear();
    const again = await window();
    expect([await again.outbox.read(), await again.outbox.end(A)]).toEqual([
      { waiting: [], refused: [] },
      { n: 0, hash: null },
    ]);
    expect([await again.facts.get('head'), await again.blobs.list()]).toEqual([undefined, []]);
  });

  test('[DC-2] what follows another end than the present one is not stored', async () => {
    const storage = await (await open())();
    const [first] = await save(storage);
    await save(storage);
    expect(await storage.outbox.append(A, { n: 1, hash: first!.hash }, [first!])).toBe(false);
    expect(await storage.outbox.append(A, { n: 2, hash: DIGEST }, [first!])).toBe(false);
    expect((await storage.outbox.read()).waiting).toHaveLength(2);
  });

  test('a gesture larger than a signature may cover is several decisions of one batch, stored together', async () => {
    const storage = await (await open())();
    const entries = await save(storage, A, 1100);
    const { waiting } = await storage.outbox.read();
    expect(waiting).toEqual(entries);
    const batches = waiting.map(({ payload }) => JSON.parse(payload) as { batch: object; items: object[] });
    expect(batches.map(({ batch }) => batch)).toEqual([0, 1, 2].map((index) => ({ id: 'b', index, of: 3 })));
    expect(batches.map(({ items }) => items.length)).toEqual([512, 512, 76]);
  });

  test('[DC-6] keeps a decision until its receipt, then what was refused of it, and never gives its number again', async () => {
    const storage = await (await open())();
    const [entry] = await save(storage);
    const key = { workspace: A, n: 1 };
    await storage.outbox.markSent([key]);
    expect((await storage.outbox.read()).waiting).toMatchObject([{ n: 1, state: 'sent' }]);
    const refused = { ...key, kind: 'reject', ids: [], why: 'too late' } as const;
    await storage.outbox.settle(key, refused);
    await storage.outbox.settle(key, refused);
    expect(await storage.outbox.read()).toEqual({ waiting: [], refused: [refused] });
    expect(await storage.outbox.end(A)).toEqual({ n: 1, hash: entry!.hash });
    expect((await save(storage)).map(({ n }) => n)).toEqual([2]);
  });

  test('refuses more than may wait, and stores nothing of it', async () => {
    const storage = await (await open())();
    const [entry] = await save(storage);
    const many = Array.from({ length: REPLICA_LIMITS.waitingMax }, (_, at) => ({ ...entry!, n: at + 2 }));
    const end = await storage.outbox.end(A);
    await expect(storage.outbox.append(A, end, many)).rejects.toMatchObject({ code: 'full' });
    expect((await storage.outbox.read()).waiting).toHaveLength(1);
  });

  test('a fact never falls', async () => {
    const storage = await (await open())();
    expect(await storage.facts.get('head')).toBeUndefined();
    expect(await storage.facts.raise('head', { number: 2, value: 'two' })).toEqual({ number: 2, value: 'two' });
    expect(await storage.facts.raise('head', { number: 1, value: 'one' })).toEqual({ number: 2, value: 'two' });
    expect(await storage.facts.raise('head', { number: 2, value: 'other' })).toEqual({ number: 2, value: 'two' });
    await storage.facts.raise('head', { number: 3, value: 'three' });
    expect(await storage.facts.get('head')).toEqual({ number: 3, value: 'three' });
  });

  test('keeps blobs, and says how large they are without reading them', async () => {
    const storage = await (await open())();
    await storage.blobs.put('x', Uint8Array.of(1, 2, 3));
    await storage.blobs.put('y', Uint8Array.of(4));
    expect(await storage.blobs.list()).toEqual([
      { address: 'x', bytes: 3 },
      { address: 'y', bytes: 1 },
    ]);
    await storage.blobs.drop(['x']);
    expect(await storage.blobs.get('x')).toBeUndefined();
    expect(await storage.blobs.get('y')).toEqual(Uint8Array.of(4));
  });
});

function expectChained(entries: readonly OutboxEntry[]): void {
  let prev: Digest | null = null;
  for (const { hash, payload } of entries) {
    expect((JSON.parse(payload) as { prev: Digest | null }).prev).toBe(prev);
    expect(decisionHash(sha256, payload)).toBe(hash);
    prev = hash;
  }
}
