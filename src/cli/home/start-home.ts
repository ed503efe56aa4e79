import { once } from 'node:events';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Right } from '../../model/decision.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../crypto/node.ts';
import type { Signer } from '../../crypto/ports.ts';
import { openSqliteJournal } from '../../journal/sqlite/index.ts';
import { CliDevice } from '../device/cli-device.ts';
import { openRelayClient } from '../../sync/relay-client.ts';
import { openHomePort } from '../http/home-port.ts';
import { secretFile } from '../state/key-file.ts';
import type { StateFolder } from '../state/folder.ts';
import { identify } from '../state/workspace-place.ts';
import { CountedLinks } from './counted-links.ts';
import { Home, lastWords } from './home.ts';
import { homeIdOf } from '../../access/home-id.ts';
import { HomeBook } from './home-book.ts';
import { watchIdle } from './idle-watch.ts';
import { lockFolder, takenSentence, type FolderLock } from './lock.ts';
import { openDoors } from './open-doors.ts';
import { servePort } from './serve-port.ts';
import { openHomeRelay, type HomeRelayPlace } from './home-relay.ts';
import { HomeSync } from './home-sync.ts';
import { nodeSyncPorts } from './sync-ports.ts';
import type { RelayChoice } from './relay-choice.ts';
import { surfacePacks, type PacksAt } from './surface-packs.ts';
import { systemClock } from './system.ts';

export interface HomeOptions {
  readonly folder: StateFolder;
  /** The command line's right; `undefined` leaves it as it is, and is `approve-reversible` at the first start. */
  readonly cliRight: Right | undefined;
  /** `undefined`: the port this home had before, or any; 0: any, not remembered. */
  readonly port: number | undefined;
  /** `undefined`: the relay this home used before. */
  readonly relay: RelayChoice | undefined;
  /** Where the panel's files are. */
  readonly panelDir: string;
  /** Ends the home after so long without a connection; `undefined` for one that a person started. */
  readonly idleMs: number | undefined;
  /** Present where a workspace has other worlds than its files. */
  readonly packs?: PacksAt;
  readonly log: (line: string) => void;
}

export interface RunningHome {
  readonly home: Home;
  /** Resolves when the home has let go of everything. */
  readonly ended: Promise<void>;
  /** Begins to end: what is in flight is finished first. */
  stop(): void;
}

/**
 * Starts the home of a state folder: its lock, its journal, its doors. Nothing is guarded yet.
 *
 * Throws: `held-elsewhere` when the home runs already; `denied` for a port in use or a folder that is not ours alone.
 */
export async function startHome(options: HomeOptions): Promise<RunningHome> {
  const { folder } = options;
  const signer = nodeSigner(await secretFile(folder.homeKey, nodeRandom));
  const lock = await takeHomeLock(folder, signer.publicKey);
  const undo: (() => Promise<unknown>)[] = [() => lock.release()];
  try {
    return await assemble(options, { signer, lock, undo });
  } catch (error) {
    await inTurn(undo.toReversed());
    throw error;
  }
}

/** The home's own journal and this device's outbox; the command line is enrolled at the first start. */
async function openRecords(
  { cliRight, folder }: HomeOptions,
  { onFatal, signer, undo }: { readonly onFatal: (error: unknown) => void } & Taken,
): Promise<{ readonly book: HomeBook; readonly device: CliDevice }> {
  const journal = openSqliteJournal({ dir: folder.homeJournal });
  undo.push(() => journal.close());
  const ports = { crypto: nodeCrypto, clock: systemClock, random: nodeRandom };
  const book = await HomeBook.open({ journal, signer, onFatal, ...ports });
  const device = await CliDevice.open(folder);
  undo.push(async () => device.close());
  await book.admit({ publicKey: device.publicKey, nickname: 'command line', right: cliRight });
  return { book, device };
}

/** Every step is taken, whatever becomes of the others; the first failure is the caller's to see. */
async function inTurn(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** What a start has in its hands: its key, and how to give back what it took. */
interface Taken {
  readonly signer: Signer;
  readonly undo: (() => Promise<unknown>)[];
}

/** What was taken is given back in reverse, by `undo` when the start fails and by the end when it does not. */
async function assemble(
  options: HomeOptions,
  { lock, signer, undo }: { readonly lock: FolderLock } & Taken,
): Promise<RunningHome> {
  const { folder, log } = options;
  const onFatal = (error: unknown): void => {
    log(lastWords(error));
    process.exit(1);
  };
  // The port comes before the journal: one that is in use leaves nothing behind.
  const port = await openHomePort({ folder, port: options.port, log });
  undo.push(() => port.close());
  const { book, device } = await openRecords(options, { signer, undo, onFatal });
  const relay = await openHomeRelay({ folder, choice: options.relay, port: port.port, home: book.id, onFatal, log });
  undo.push(() => relay.close());
  const sync = openSync({ book, device, log, relay, signer });
  undo.push(() => sync.end());

  const end = new AbortController();
  const begin = (): void => end.abort();
  const running = new Home({
    port: port.port,
    sync,
    folder,
    book,
    signer,
    device,
    clock: systemClock,
    packs: options.packs ?? surfacePacks,
    log,
    onFatal,
    onDown: begin,
  });
  const served = await servePort({ port, folder, panelDir: options.panelDir, relay, home: running, onBug: onFatal });
  sync.begin(running.authorities());
  const links = new CountedLinks();
  const closeDoors = await openDoors(folder, running, links, onFatal);
  undo.push(closeDoors);
  const busy = (): boolean => links.open > 0 || running.agentsConnected || running.draining || sync.watched;
  const stopWatch = idleWatch(options, busy, begin);

  const ended = once(end.signal, 'abort').then(() => {
    stopWatch();
    const close = [
      () => served.endAgents(),
      () => running.stop(),
      () => relay.close(),
      () => port.close(),
      async () => device.close(),
      closeDoors,
      () => lock.release(),
    ];
    return inTurn(close);
  });
  return { home: running, ended, stop: begin };
}

/** This home as one who asks its relay, near or far: always over a real connection. */
function openSync(parts: {
  readonly book: HomeBook;
  readonly device: CliDevice;
  readonly log: (line: string) => void;
  readonly relay: HomeRelayPlace;
  readonly signer: Signer;
}): HomeSync {
  const { book, device, log, relay, signer } = parts;
  const client = openRelayClient({
    relayUrl: relay.url,
    identity: { home: book.id, homeKey: signer.publicKey, grant: null, sign: (message) => signer.sign(message) },
    ports: nodeSyncPorts,
    knownHead: book.head,
    ...(relay.token === null ? {} : { token: relay.token }),
    onFault: (thrown) => log(`A connection to the relay met a bug, please report it: ${messageOf(thrown)}`),
  });
  return new HomeSync({
    client,
    embedded: relay.embedded,
    book,
    self: device.id,
    clock: systemClock,
    random: nodeRandom,
    crypto: nodeCrypto,
    log,
  });
}

async function takeHomeLock(folder: StateFolder, publicKey: Uint8Array): Promise<FolderLock> {
  const found = await identify(folder.dir);
  const self = {
    homeId: homeIdOf(nodeCrypto.sha256, publicKey),
    pid: process.pid,
    stateDir: folder.dir,
    root: folder.dir,
  };
  const locked = await lockFolder('home', found, self);
  if (locked.type === 'taken') throw new CountersignError('held-elsewhere', takenSentence(folder.dir, locked.holder));
  return locked.lock;
}

function idleWatch(options: HomeOptions, busy: () => boolean, onIdle: () => void): () => void {
  if (options.idleMs === undefined) return () => undefined;
  return watchIdle({ clock: systemClock, idleMs: options.idleMs, busy, onIdle });
}
