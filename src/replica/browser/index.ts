import { CountersignError } from '../../base/errors.ts';
import { nobleCrypto } from '../../crypto/noble.ts';
import type { WebSocketConstructor, Fetch } from '../../sync/ports.ts';
import { openRelayClient } from '../../sync/relay-client.ts';
import { enrol } from '../enrol.ts';
import { memoryStorage } from '../memory.ts';
import { openReplica } from '../open-replica.ts';
import type { KeyMaker, ReplicaStorage } from '../ports.ts';
import type { Replica } from '../types.ts';
import { browserDocCache, forgetDocs } from './doc-cache.ts';
import { homeNow, keepRelayNow, standingOf, type AskHome, type Standing } from './home-now.ts';
import { browserKeys } from './keys.ts';
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
 * The replica of this page. A browser that is a device already goes on as that device, and leaves the link unused; one
 * that was removed, or belongs to another home, becomes a new device with it.
 *
 * Throws: `not-found` where this browser is no device and there is no link, or the link was used; as `enrol` and
 * `openReplica`.
 */
export async function openBrowserReplica(options: BrowserReplicaOptions): Promise<Replica> {
  const { link, onFault } = options;
  const storage = await storageHere();
  const keys = browserKeys({ subtle: subtleHere(), random: browserRandom });
  const known = await storage.identity.load();
  const now = known === undefined ? undefined : await homeNow(known, askHome);
  if (link !== undefined && standingOf(known, now) !== 'device') await enrolHere(storage, keys, link);
  else if (known !== undefined) await keepRelayNow(storage.identity, known, now);
  else throw new CountersignError('not-found', 'This browser is not one of the home’s devices.');
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

/** What is this browser to the home that served the page? */
export async function standingHere(): Promise<Standing> {
  const storage = await storageHere();
  try {
    const known = await storage.identity.load();
    return standingOf(known, known === undefined ? undefined : await homeNow(known, askHome));
  } finally {
    storage.close();
  }
}

const askHome: AskHome = (path, signal) => fetch(path, { signal });

async function enrolHere(
  storage: ReplicaStorage,
  keys: KeyMaker,
  link: NonNullable<BrowserReplicaOptions['link']>,
): Promise<void> {
  await enrol({
    ...link,
    storage,
    keys,
    crypto: nobleCrypto,
    fetch: (url, request) => fetch(url, request),
    // What an earlier device kept here would be taken for this one's: its numbers, its chain, its heads.
    accepted: async () => {
      await storage.clear();
      await forgetDocs();
    },
  });
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
