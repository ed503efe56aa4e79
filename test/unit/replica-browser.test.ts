import { webcrypto } from 'node:crypto';
import * as Y from 'yjs';
import { describe, expect, test, vi } from 'vitest';
import { toHex } from '../../src/base/bytes.ts';
import { signGrant } from '../../src/access/grant.ts';
import { signHead } from '../../src/access/head.ts';
import { deviceIdOf, homeIdOf } from '../../src/access/home-id.ts';
import { sealBox, openBox } from '../../src/crypto/box.ts';
import { nobleCrypto } from '../../src/crypto/noble.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../src/crypto/node.ts';
import { browserDocCache } from '../../src/replica/browser/doc-cache.ts';
import { browserKeys } from '../../src/replica/browser/keys.ts';
import { browserStorage } from '../../src/replica/browser/storage.ts';
import { browserBus, browserLeader } from '../../src/replica/browser/windows.ts';
import { enrol, type EnrolFetch } from '../../src/replica/enrol.ts';
import { REPLICA_LIMITS } from '../../src/replica/limits.ts';
import { memoryStorage } from '../../src/replica/memory.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { withIndexedDb } from '../support/replica-storages.ts';

// reason: Node's WebCrypto is that of pages
const subtle = webcrypto.subtle as unknown as SubtleCrypto;
const message = new TextEncoder().encode('a decision');

describe('keys of a device in a browser', () => {
  test.each([
    ['kept by the platform', browserKeys({ subtle, random: nodeRandom })],
    ['of a platform without WebCrypto', browserKeys({ subtle: undefined, random: nodeRandom })],
    ['of a platform that lacks the algorithms', browserKeys({ subtle: lacking(), random: nodeRandom })],
  ])('%s sign and share secrets as any other, also after they were stored', async (_, maker) => {
    const made = await maker.make();
    const again = await maker.restore(structuredCloneable(made.kept));
    for (const keys of [made, again]) {
      const signature = await keys.signer.sign(message);
      expect(nobleCrypto.verify(keys.signer.publicKey, message, signature)).toBe(true);
      const to = { publicKey: keys.agreement.publicKey, context: message, once: nodeRandom.bytes(32) };
      const box = await sealBox(nodeCrypto, to, message);
      expect(await openBox(nodeCrypto, keys.agreement, message, box!)).toEqual(message);
      expect(await keys.agreement.agree(new Uint8Array(32))).toBeUndefined();
    }
    expect(again.signer.publicKey).toEqual(made.signer.publicKey);
  });

  test('kept by the platform cannot be read out', async () => {
    const { kept } = await browserKeys({ subtle, random: nodeRandom }).make();
    const keys = Object.values(kept as object).filter((value) => value instanceof CryptoKey);
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(key.extractable).toBe(false);
      await expect(subtle.exportKey('pkcs8', key)).rejects.toThrow(/extractable/);
    }
  });

  test('that are not what was kept are refused, and so is an insecure page with keys of a secure one', async () => {
    const maker = browserKeys({ subtle, random: nodeRandom });
    await expect(maker.restore({ sign: 'text' })).rejects.toMatchObject({ code: 'storage' });
    const { kept } = await maker.make();
    await expect(browserKeys({ subtle: undefined, random: nodeRandom }).restore(kept)).rejects.toMatchObject({
      code: 'storage',
    });
  });

  /** As a database stores it. Node cannot clone its keys, a page can. */
  function structuredCloneable(kept: unknown): unknown {
    return { ...(kept as object) };
  }

  function lacking(): SubtleCrypto {
    return { generateKey: () => Promise.reject(new Error('NotSupportedError')) } as unknown as SubtleCrypto;
  }
});

describe('the cache of documents', () => {
  test('hands out what it kept, and forgets a room that is left', async () => {
    withIndexedDb();
    const clock = new FakeClock();
    const faults: unknown[] = [];
    const cache = browserDocCache({ clock, onFault: (thrown) => void faults.push(thrown) });
    const first = new Y.Doc();
    const open = cache.attach('room', first);
    await open.loaded;
    first.getArray('records').push(['kept']);
    await turns();
    open.close();
    await turns();
    const second = new Y.Doc();
    const again = cache.attach('room', second);
    await again.loaded;
    expect(second.getArray('records').toArray()).toEqual(['kept']);
    again.close();
    await turns();
    cache.forget('room');
    await turns();
    const third = new Y.Doc();
    await cache.attach('room', third).loaded;
    expect(third.getArray('records').toArray()).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('one that never answers holds nobody up, and one that fails silences no document', async () => {
    const hanging = { addEventListener: () => undefined };
    Object.assign(globalThis, { indexedDB: { open: () => hanging, deleteDatabase: () => hanging } });
    const clock = new FakeClock();
    const doc = new Y.Doc();
    const cache = browserDocCache({ clock, onFault: () => undefined });
    let isLoaded = false;
    const kept = cache.attach('room', doc);
    const loaded = kept.loaded.finally(() => (isLoaded = true));
    await turns();
    expect(isLoaded).toBe(false);
    clock.advance(REPLICA_LIMITS.cacheMsMax);
    await loaded;

    withIndexedDb();
    const faults: unknown[] = [];
    const failing = browserDocCache({ clock, onFault: (thrown) => void faults.push(thrown) });
    const other = new Y.Doc();
    const updates: number[] = [];
    const broken = failing.attach('broken', other);
    await broken.loaded;
    other.on('update', () => updates.push(1));
    // The database goes away under it, as it does when the browser runs out of space.
    broken.close();
    other.getArray('records').push(['one']);
    other.getArray('records').push(['two']);
    expect(updates).toEqual([1, 1]);
  });
});

describe('windows of one browser', () => {
  test('lead one after the other, by the locks of the origin', async () => {
    const leader = browserLeader(locks());
    const led: string[] = [];
    const giveUp = leader.ask('inbox', () => led.push('one'));
    const stop = leader.ask('inbox', () => led.push('two'));
    leader.ask('inbox', () => led.push('three'));
    await turns();
    expect(led).toEqual(['one']);
    stop();
    giveUp();
    await turns();
    expect(led).toEqual(['one', 'three']);
  });

  test('all lead where there are no locks', () => {
    const lead = vi.fn<() => void>();
    browserLeader(undefined).ask('inbox', lead)();
    expect(lead).toHaveBeenCalledOnce();
  });

  test('hear each other and not themselves', async () => {
    const heard: string[] = [];
    const open = browserBus(BroadcastChannel);
    const one = open('replica test', (what) => heard.push(`one ${what}`));
    const two = open('replica test', (what) => heard.push(`two ${what}`));
    const over = new Promise<void>((resolve) => {
      open('replica test', () => resolve());
    });
    one.tell('outbox');
    await over;
    await turns();
    expect(heard).toEqual(['two outbox']);
    one.close();
    two.close();
    browserBus(undefined)('none', () => undefined).tell('anything');
  });
});

describe('enrolling', () => {
  const home = nodeSigner(new Uint8Array(32).fill(5));
  const homeId = homeIdOf(nodeCrypto.sha256, home.publicKey);
  const maker = browserKeys({ subtle, random: nodeRandom });

  /** A home that answers as ours does; `change` makes it another one. */
  function homeAt(change: (answer: object) => object = (answer) => answer): {
    readonly fetch: EnrolFetch;
    readonly asked: object[];
  } {
    const asked: object[] = [];
    const fetch: EnrolFetch = async (url, { body, headers }) => {
      const { publicKey, secret, ...rest } = JSON.parse(body) as Record<string, string>;
      asked.push({ url, headers, secret, ...rest });
      const device = deviceIdOf(nodeCrypto.sha256, Buffer.from(publicKey!, 'hex'));
      const right = 'approve-all';
      const answer = {
        homeKey: toHex(home.publicKey),
        grant: signGrant(home, { v: 1, home: homeId, device, publicKey: publicKey!, right, number: 1 }),
        head: signHead(home, { v: 1, home: homeId, number: 3, atMs: 1, roster: [], rosterNumber: 1, workspaces: [] }),
        relayUrl: 'ws://localhost:4420',
      };
      return { status: 200, text: async () => JSON.stringify(change(answer)) };
    };
    return { fetch, asked };
  }

  const options = (fetch: EnrolFetch, storage = memoryStorage()) =>
    ({
      origin: 'http://localhost:4419',
      secret: 's',
      nickname: 'phone',
      storage,
      keys: maker,
      crypto: nodeCrypto,
      fetch,
    }) as const;

  test('makes keys, asks the home once, and keeps what it answered', async () => {
    const { asked, fetch } = homeAt();
    const storage = memoryStorage();
    const identity = await enrol(options(fetch, storage));
    expect(identity).toMatchObject({ home: homeId, nickname: 'phone', relayUrl: 'ws://localhost:4420' });
    expect(await storage.identity.load()).toEqual(identity);
    expect(await storage.facts.get('head')).toMatchObject({ number: 3 });
    expect(asked).toEqual([
      {
        url: 'http://localhost:4419/panel/enrol',
        headers: { 'content-type': 'application/json', 'x-countersign': '1' },
        secret: 's',
        nickname: 'phone',
        boxKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  test.each([
    ['another home’s key', { homeKey: toHex(nodeSigner(new Uint8Array(32).fill(6)).publicKey) }],
    ['no head', { head: { payload: '{}', signature: '0'.repeat(128) } }],
    ['no grant', { grant: { payload: '{}', signature: '0'.repeat(128) } }],
    ['something more', { more: true }],
    ['a grant that is none', { grant: 'text' }],
  ])('believes no answer with %s, and stores nothing', async (_, change) => {
    const storage = memoryStorage();
    const { fetch } = homeAt((answer) => ({ ...answer, ...change }));
    await expect(enrol(options(fetch, storage))).rejects.toMatchObject({ code: 'denied' });
    expect(await storage.identity.load()).toBeUndefined();
  });

  test.each([
    [410, 'not-found'],
    [403, 'denied'],
    [507, 'full'],
    [500, 'closed'],
  ])('says what the home says with status %i', async (status, code) => {
    const fetch: EnrolFetch = async () => ({ status, text: async () => 'This link was used.' });
    await expect(enrol(options(fetch))).rejects.toMatchObject({ code, message: 'This link was used.' });
    const gone: EnrolFetch = () => Promise.reject(new Error('refused'));
    await expect(enrol(options(gone))).rejects.toMatchObject({ code: 'closed' });
  });

  test('is kept by a browser’s database, keys and all, for the next page', async () => {
    withIndexedDb();
    const storage = await browserStorage('enrolled');
    const seeds = browserKeys({ subtle: undefined, random: nodeRandom });
    const identity = await enrol({ ...options(homeAt().fetch, storage), keys: seeds });
    storage.close();
    const again = await (await browserStorage('enrolled')).identity.load();
    expect(again).toEqual(identity);
    const keys = await seeds.restore(again!.keys);
    expect(deviceIdOf(nodeCrypto.sha256, keys.signer.publicKey)).toBe(identity.device);
  });
});

/** Lets what is due in the event loop happen. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => void setImmediate(resolve));
}

/** The Web Locks of an origin, as far as they are used. */
function locks(): LockManager {
  let tail: Promise<unknown> = Promise.resolve();
  const request = (_: string, { signal }: { signal: AbortSignal }, hold: () => Promise<void>): Promise<void> => {
    const before = tail;
    const held = (async () => {
      await before;
      signal.throwIfAborted();
      await hold();
    })();
    tail = held.catch(() => undefined);
    return held;
  };
  return { request } as unknown as LockManager;
}
