import { once } from 'node:events';
import { createServer } from 'node:http';
import { basename } from 'node:path';
import type { Authority } from '../../src/authority/authority.ts';
import type { SqliteJournalPorts } from '../../src/journal/sqlite/open.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { HomeBook } from '../../src/cli/home/home-book.ts';
import { HomeSync } from '../../src/cli/home/home-sync.ts';
import { nodeSyncPorts } from '../../src/cli/home/sync-ports.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import { seedKeys, type DeviceKeys } from '../../src/replica/index.ts';
import { openRelayClient } from '../../src/sync/relay-client.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { openRelay } from '../../sync-server/relay.ts';
import {
  countingClock,
  CRASH_HOME,
  CRASH_IDS,
  CRASH_LIMITS,
  CRASH_PERSON,
  openCrashHome,
  type CrashHome,
  type CrashPlace,
  type CrashWatch,
  type CrashOptions,
} from './crash-home.ts';
import { relayStoreHere } from './crash-relay-store.ts';

/** A home as `up` makes it, doors and panel aside: its own journal, its relay, and the workspace it publishes. */
export interface PublishingHome extends CrashHome {
  readonly book: HomeBook;
  /** Ends as a home ends: what was published is on the relay's disk, or the next start puts it there. */
  stop(): Promise<void>;
}

/** Beside the workspace's journal: names that a fault below the state is known by. */
export function bookFolder({ state }: Pick<CrashPlace, 'state'>): string {
  return `${state}-home`;
}

/** Keys of the one window, the same in every process. */
export const WINDOW_KEYS = seedKeys({
  random: seededRandom(20_261_130),
  signer: nodeSigner,
  agreement: nodeCrypto.agreement,
});
let windowKeys: Promise<DeviceKeys> | undefined;
export function keysOfWindow(): Promise<DeviceKeys> {
  return (windowKeys ??= WINDOW_KEYS.make());
}

export function relayUrlOf({ relayPort }: Pick<CrashPlace, 'relayPort'>): string {
  return `ws://127.0.0.1:${String(relayPort)}`;
}

/** What a start of a publishing home has opened so far. */
interface Around {
  readonly book: HomeBook;
  readonly sync: HomeSync;
  readonly close: () => Promise<void>;
}

export async function openPublishingHome(
  place: CrashPlace,
  watch: CrashWatch,
  options: CrashOptions = {},
): Promise<PublishingHome> {
  const { book, close, sync } = await openAround(place, watch, options.ports ?? {});
  let opened: Authority | undefined;
  const { workspace } = CRASH_IDS;
  sync.begin({
    at: (id) => (id === workspace ? opened : undefined),
    all: () => (opened === undefined ? [] : [opened]),
  });
  const home = await openCrashHome(place, watch, {
    ...options,
    roster: book,
    publish: {
      outlet: sync.outlet,
      name: basename(place.workspace),
      root: place.workspace,
      keys: () => book.keysOf(workspace),
      devices: () =>
        book.devices.map(({ device, nickname, revoked, right }) => ({ id: device, nickname, right, removed: revoked })),
      lastPublished: () => book.published(workspace),
      onPublished: (published) => book.publish(workspace, published),
    },
    before: (authority) => sync.takeInboxes(authority),
  });
  opened = home.authority;
  sync.joined(home.authority);
  return {
    ...home,
    book,
    stop: async () => {
      await home.authority.stop();
      await book.tellNews();
      await sync.end();
      await book.close();
      await close();
    },
  };
}

async function openAround(
  place: CrashPlace,
  { onAlarm, onFatal }: CrashWatch,
  ports: SqliteJournalPorts,
): Promise<Around> {
  const journal = openSqliteJournal({ dir: bookFolder(place) }, { limits: CRASH_LIMITS, ...ports });
  const clock = countingClock(place.seed);
  const random = seededRandom(place.seed + SEEDS_APART);
  const book = await HomeBook.open({ journal, crypto: nodeCrypto, signer: CRASH_HOME, clock, random, onFatal });
  const { agreement, signer } = await keysOfWindow();
  const { publicKey: boxKey } = agreement;
  await book.admit({ publicKey: CRASH_PERSON.publicKey, nickname: 'command line', right: 'approve-all' });
  const publicKeys = { publicKey: signer.publicKey, boxKey };
  await book.admit({ ...publicKeys, nickname: 'a window', right: 'approve-all' });
  const record = { id: CRASH_IDS.workspace, fence: 1, path: place.workspace, dev: '1', ino: '1', born: '1' };
  if (book.workspaces.length === 0) await book.keepWorkspace(record, 'new');
  const server = createServer();
  const url = relayUrlOf(place);
  server.listen(place.relayPort, '127.0.0.1');
  await once(server, 'listening');
  const relay = await openRelay({
    store: relayStoreHere(`${place.state}-relay`),
    admission: { open: false, homes: [book.id], tokens: [] },
    origins: [url],
    pageOrigins: [],
    onFatal,
  });
  server.on('request', (request, response) => relay.handleRequest(request, response));
  server.on('upgrade', (request, socket, head) => relay.handleUpgrade(request, socket, head));
  const client = openRelayClient({
    relayUrl: url,
    identity: {
      home: book.id,
      homeKey: CRASH_HOME.publicKey,
      grant: null,
      sign: (message) => CRASH_HOME.sign(message),
    },
    ports: nodeSyncPorts,
    knownHead: book.head,
    onFault: onFatal,
  });
  const self = CRASH_IDS.person;
  const sync = new HomeSync({ client, embedded: true, book, self, clock, random, crypto: nodeCrypto, log: onAlarm });
  const close = async (): Promise<void> => {
    await relay.close();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { book, sync, close };
}

/** Its dice are not the workspace's. */
const SEEDS_APART = 1_000_000;
