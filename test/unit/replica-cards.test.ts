import { describe, expect, test } from 'vitest';
import { canonicalBytes } from '../../src/base/canonical-json.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { digestOf } from '../../src/model/digest.ts';
import { readActionFile } from '../../src/replica/detail/action-file.ts';
import { REPLICA_LIMITS } from '../../src/replica/limits.ts';
import { contentOf } from '../support/action-content.ts';
import { replicaLab, viewOf, workspaceOf, WORKSPACE_ID } from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;

describe('cards on a device', () => {
  test('a card whose blob the relay has lost cannot be approved; put again, it can', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'long '.repeat(200));
    await lab.settle();
    const kept = new Map(lab.hub.objects);
    for (const path of kept.keys()) if (path.startsWith('b/')) lab.hub.objects.delete(path);
    const { phone } = lab.devices;
    const replica = await phone!.window();
    await lab.settle();
    await missedOften(lab);
    expect(viewOf(replica, 1).card).toBe('lost');
    expect(await replica.detail(workspace, lab.idOf(1))).toMatchObject({ type: 'lost' });
    await expect(replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] })).rejects.toMatchObject({
      code: 'denied',
      message: /the relay has lost part of it/,
    });
    expect(replica.look({ workspace, kind: 'reject', ids: [lab.idOf(1)] }).included).toHaveLength(1);
    for (const [path, read] of kept) lab.hub.objects.set(path, read);
    phone!.clock.advance(REPLICA_LIMITS.blobAgainMs);
    await lab.settle();
    expect(viewOf(replica, 1).card).toBe('here');
    await replica.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
  });

  test('a blob that comes to the relay after the ledger that names it was never lost', async () => {
    const lab = await replicaLab();
    await put(await lab.agent(), 'a', 'long '.repeat(200));
    await lab.settle();
    const late = [...lab.hub.objects].filter(([path]) => path.startsWith('b/'));
    for (const [path] of late) lab.hub.objects.delete(path);
    const { phone } = lab.devices;
    const replica = await phone!.window();
    await lab.settle();
    expect(viewOf(replica, 1).card).toBe('coming');
    for (const [path, read] of late) lab.hub.objects.set(path, read);
    phone!.clock.advance(REPLICA_LIMITS.blobSoonMs[0]);
    await lab.settle();
    phone!.clock.advance(REPLICA_LIMITS.cardsToldMs);
    await lab.settle();
    expect(viewOf(replica, 1).card).toBe('here');
  });

  test('[DC-1] a file that is not the one its digest names is not shown, whoever sealed it', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await lab.settle();
    const [first, second] = [...lab.hub.objects].filter(([path]) => path.startsWith('b/'));
    lab.hub.objects.set(first![0], second![1]);
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    expect(
      workspaceOf(replica)
        .open.map(({ card }) => card)
        .toSorted(),
    ).toEqual(['here', 'lost']);
  });

  test('is fetched before anybody asks, in the order of the queue, and kept sealed on this device', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (let n = 0; n < 30; n++) await put(port, `n${n}`, `${n} `.repeat(300));
    const { phone } = lab.devices;
    const replica = await phone!.window();
    await lab.settle();
    expect(workspaceOf(replica).open.every(({ card }) => card === 'here')).toBe(true);
    const kept = await phone!.storage.blobs.list();
    expect(kept).toHaveLength(60);
    for (const { address } of kept) {
      const bytes = await phone!.storage.blobs.get(address);
      expect(Buffer.from(bytes!).includes('7 7 7 7 7 7')).toBe(false);
    }
  });
});

/** The relay was asked time after time, and never had it. */
async function missedOften(lab: Awaited<ReturnType<typeof replicaLab>>): Promise<void> {
  for (const waitMs of [...REPLICA_LIMITS.blobSoonMs, REPLICA_LIMITS.cardsToldMs]) {
    lab.devices['phone']!.clock.advance(waitMs);
    await lab.settle();
  }
}

describe('the file of an action', () => {
  const { sha256 } = nodeCrypto;
  const content = contentOf({ arguments: { text: { $blob: '1'.repeat(64), bytes: 7 } } });
  const file = { v: 1, content, card: null, reversibleWhy: '' };

  test('[DC-1] is read only for the digest of its own content, with every blob a person must see', () => {
    const read = readActionFile(sha256, digestOf(sha256, content), canonicalBytes(file));
    expect(read).toEqual({ ok: true, value: { file, refs: [{ $blob: '1'.repeat(64), bytes: 7 }] } });
    const other = { ...content, tool: 'another' };
    expect(readActionFile(sha256, digestOf(sha256, other), canonicalBytes(file))).toMatchObject({ error: /digest/ });
  });

  test.each([
    ['no JSON', new Uint8Array(3), /cannot be read/],
    ['no content', canonicalBytes({ v: 1 }), /cannot be read/],
    ['a newer version', canonicalBytes({ ...file, v: 2 }), /newer runtime/],
  ])('with %s is refused, saying why', (_, bytes, why) => {
    expect(readActionFile(sha256, digestOf(sha256, content), bytes)).toMatchObject({ ok: false, error: why });
  });
});

describe('views', () => {
  test('a view that did not change stays the same object, and so does a workspace', async () => {
    const lab = await replicaLab();
    const port = await lab.agent();
    for (let n = 0; n < 5; n++) await put(port, `n${n}`, 'text');
    const other = await lab.agent('other');
    await put(other, 'elsewhere', 'text');
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    const before = workspaceOf(replica);
    await replica.decide({ workspace, kind: 'hold', ids: [lab.idOf(3)] });
    await lab.settle();
    const after = workspaceOf(replica);
    expect(after.open.filter((view, at) => view !== before.open[at]).map(({ record }) => record.seq)).toEqual([3]);
    expect(replica.snapshot()).toBe(replica.snapshot());
    // Whoever waited for the first one waits for the next; another session's work does not.
    await replica.decide({ workspace, kind: 'reject', ids: [lab.idOf(1)] });
    await lab.settle();
    const last = workspaceOf(replica);
    expect(last.open.map(({ record, waitsFor }) => [record.seq, waitsFor])).toEqual([
      [2, []],
      [3, []],
      [4, [lab.idOf(2)]],
      [5, [lab.idOf(2)]],
      [6, []],
    ]);
    expect(last.open.at(-1)).toBe(before.open.at(-1));
    expect(last.settled.map(({ record }) => record.seq)).toEqual([1]);
  });

  test('tells who listens once a turn, and numbers what it shows', async () => {
    const lab = await replicaLab();
    const replica = await lab.devices['phone']!.window();
    await lab.settle();
    const numbers: number[] = [];
    const end = replica.subscribe(() => numbers.push(replica.snapshot().number));
    const port = await lab.agent();
    for (let n = 0; n < 5; n++) await put(port, `n${n}`, 'text');
    await lab.settle();
    expect(numbers.length).toBeGreaterThan(0);
    expect(new Set(numbers).size).toBe(numbers.length);
    end();
    const count = numbers.length;
    await put(port, 'last', 'text');
    await lab.settle();
    expect(numbers).toHaveLength(count);
  });
});
