import { CountersignError } from '../../base/errors.ts';
import { nobleCrypto } from '../../crypto/noble.ts';
import type { WebSocketConstructor, Fetch } from '../../sync/ports.ts';
import { openRelayClient } from '../../sync/relay-client.ts';
import { enrol } from '../enrol.ts';
import { memoryStorage } from '../memory.ts';
import { openReplica } from '../open-replica.ts';
import type { KeyMaker, ReplicaStorage } from '../ports.ts';
import type { Replica } from '../types.ts';
import { browserDocCache } from './doc-cache.ts';
import { browserKeys } from './keys.ts';
import { keepRelayNow } from './relay-now.ts';
import { browserStorage } from './storage.ts';
import { browserClock, browserRandom } from './system.ts';
import { browserBus, browserLeader } from './windows.ts';

/** Everything a device has in this browser. One origin is one device of one home: its port says which. */
const DATABASE = 'countersign';

export interface BrowserReplicaOptions {
  /** From the link's fragment, when the page was opened with one: this browser becomes a device with it. */
  readonly link?: { readonly origin: string; readonly secret: string; readonly nickname: string };
  /** Something went wrong that nobody waits for; the replica goes on. */
  readonly onFault: (thrown: unknown) => void;
}

/**
 * The replica of this page. A browser that is a device already goes on as that device, and leaves the link unused.
 *
 * Throws: `not-found` where this browser is no device and there is no link, or the link was used; as `enrol` and
 * `openReplica`.
 */
export async function openBrowserReplica(options: BrowserReplicaOptions): Promise<Replica> {
  const { link, onFault } = options;
  const storage = await storageHere();
  const keys = browserKeys({ subtle: subtleHere(), random: browserRandom });
  const known = await storage.identity.load();
  if (known !== undefined) await keepRelayNow(storage.identity, known, (path, signal) => fetch(path, { signal }));
  else {
    if (link === undefined) throw new CountersignError('not-found', 'This browser is not one of the home’s devices.');
    await enrolHere(storage, keys, link);
  }
  const clock = browserClock();
  // reason: the page's own fetch and WebSocket have the shapes that are used of them
  const ports = { webSocket: WebSocket as unknown as WebSocketConstructor, fetch: fetch.bind(globalThis) as Fetch };
  return openReplica({
    storage,
    cache: browserDocCache({ clock, onFault }),
    leader: browserLeader(navigator.locks),
    bus: browserBus(globalThis.BroadcastChannel),
    keys,
    connect: ({ identity, knownHead, onFault: fault, relayUrl }) =>
      openRelayClient({
        relayUrl,
        identity,
        ports: { ...ports, clock, random: browserRandom, verify: nobleCrypto.verify },
        onFault: fault,
        ...(knownHead === undefined ? {} : { knownHead }),
      }),
    crypto: nobleCrypto,
    clock,
    random: browserRandom,
    onFault,
  });
}

/** Is this browser a device already? */
export async function isDevice(): Promise<boolean> {
  const storage = await storageHere();
  try {
    return (await storage.identity.load()) !== undefined;
  } finally {
    storage.close();
  }
}

async function enrolHere(
  storage: ReplicaStorage,
  keys: KeyMaker,
  link: NonNullable<BrowserReplicaOptions['link']>,
): Promise<void> {
  await enrol({ ...link, storage, keys, crypto: nobleCrypto, fetch: (url, request) => fetch(url, request) });
  // Asked once there is something to keep. A browser that says no still keeps it until it runs out of space.
  await navigator.storage?.persist?.();
}

/** Where the browser keeps nothing, the page works and says that it forgets (F7). */
async function storageHere(): Promise<ReplicaStorage> {
  try {
    return await browserStorage(DATABASE);
  } catch (thrown) {
    if (CountersignError.is(thrown) && thrown.code === 'storage') return memoryStorage();
    throw thrown;
  }
}

/** Only a secure context has it. */
function subtleHere(): SubtleCrypto | undefined {
  return globalThis.crypto?.subtle;
}
