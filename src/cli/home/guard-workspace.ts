import { basename } from 'node:path';
import { openAuthority, type Authority } from '../../authority/authority.ts';
import type { AuthorityOptions, PublishOptions, RosterPort } from '../../authority/options.ts';
import type { Outlet } from '../../authority/publish/outlet.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import { nodeCrypto, nodeRandom } from '../../crypto/node.ts';
import type { Signer } from '../../crypto/ports.ts';
import { forgetLeft, leftQuarantine } from '../../journal/sqlite/leave-quarantine.ts';
import { openSqliteJournal } from '../../journal/sqlite/index.ts';
import { ID_BYTES, workspaceId, type WorkspaceId } from '../../model/ids.ts';
import { nesting } from '../state/containment.ts';
import type { StateFolder } from '../state/folder.ts';
import { place, type FolderIdentity, type Placed, type WorkspaceRecord } from '../state/workspace-place.ts';
import type { HomeBook } from './home-book.ts';
import { lockFolder, takenSentence, type FolderLock } from './lock.ts';
import { foreignNeighbour } from './neighbours.ts';
import { networkFileSystem } from './network-fs.ts';
import type { PacksAt } from './surface-packs.ts';

/** A folder under guard: its lock, and the authority that rules over it. */
export interface Guarded {
  readonly record: WorkspaceRecord;
  readonly authority: Authority;
  readonly lock: FolderLock;
}

export interface GuardOptions {
  readonly folder: StateFolder;
  readonly book: HomeBook;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly roster: (authority: () => Authority | undefined) => RosterPort;
  readonly packs: PacksAt;
  /** Where what is published goes. */
  readonly outlet: Outlet;
  /** Hands over what this device decided while no home ran, before anything drains (DC-6). */
  readonly takeSaved: (workspace: WorkspaceId, authority: Authority) => Promise<void>;
  readonly onAlarm: (text: string) => void;
  readonly onFatal: (error: unknown) => void;
}

/**
 * Starts guarding a folder. Everything that can be refused is refused before anything is written.
 *
 * Throws: `held-elsewhere` when another home guards it, or a folder inside or around it; `denied` for a place that
 * cannot be guarded; what the journal throws.
 */
export async function guardWorkspace(
  options: GuardOptions,
  found: FolderIdentity,
  wish: { readonly adopt: boolean; readonly exclusive: boolean },
): Promise<Guarded> {
  await checkPlace(options.folder, found, wish);
  const placed = place(options.book.workspaces, found, wish);
  if (placed.type === 'refused') throw new CountersignError('denied', placed.why);
  const lock = await takeLock(options, found);
  try {
    const neighbour = await foreignNeighbour(found);
    if (neighbour !== undefined) throw new CountersignError('held-elsewhere', neighbour);
    return await openGuarded(options, recordOf(placed, found), placed.type, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Guards a folder again whose journal has just left quarantine, under the lock it has.
 *
 * Throws: what the journal throws; the lock is let go of then.
 */
export async function guardAgain(options: GuardOptions, { lock, record }: Guarded): Promise<Guarded> {
  try {
    return await openGuarded(options, record, 'same', lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function checkPlace(
  folder: StateFolder,
  found: FolderIdentity,
  wish: { readonly exclusive: boolean },
): Promise<void> {
  const way = nesting(folder.dir, found.path);
  if (way !== undefined) {
    const how = way === 'around' ? 'lies in the state folder' : 'holds the state folder';
    throw new CountersignError('denied', `The workspace ${found.path} ${how} ${folder.dir}; choose another --state.`);
  }
  const network = wish.exclusive ? undefined : await networkFileSystem(found.path);
  if (network !== undefined) {
    throw new CountersignError(
      'denied',
      `${found.path} is on a network file system (${network}), where no lock keeps another machine out; --exclusive says that none uses it.`,
    );
  }
}

async function takeLock({ book, folder }: GuardOptions, found: FolderIdentity): Promise<FolderLock> {
  const self = { homeId: book.id, pid: process.pid, stateDir: folder.dir, root: found.path };
  const locked = await lockFolder('workspace', found, self);
  if (locked.type === 'taken') throw new CountersignError('held-elsewhere', takenSentence(found.path, locked.holder));
  return locked.lock;
}

function recordOf(placed: Exclude<Placed, { type: 'refused' }>, found: FolderIdentity): WorkspaceRecord {
  if (placed.type === 'new') return { ...found, id: workspaceId(nodeRandom.bytes(ID_BYTES)), fence: 1 };
  return placed.record;
}

async function openGuarded(
  options: GuardOptions,
  found: WorkspaceRecord,
  placed: 'new' | 'same' | 'moved' | 'adopted',
  lock: FolderLock,
): Promise<Guarded> {
  const { book, clock, folder, signer } = options;
  const dir = folder.workspace(found.id);
  const journal = openSqliteJournal({ dir });
  // What left quarantine stands at a new fence until the journal says so itself, however often that is interrupted.
  const left = journal.health.state === 'quarantined' ? undefined : leftQuarantine(dir);
  const record = left === undefined ? found : { ...found, fence: found.fence + 1 };
  const how = left === undefined ? placed : 'adopted';
  let authority: Authority | undefined;
  try {
    if (how !== 'same') await book.keepWorkspace(record, how);
    const authorityOptions: AuthorityOptions = {
      home: book.id,
      workspace: record.id,
      fence: record.fence,
      journal,
      packs: options.packs({ root: record.path, stateDir: folder.dir }),
      crypto: nodeCrypto,
      signer,
      clock,
      random: nodeRandom,
      roster: options.roster(() => authority),
      publish: publishing(options, record),
      ...(left === undefined ? {} : { left: { ...left, onMarked: () => forgetLeft(dir) } }),
      onAlarm: options.onAlarm,
      onFatal: options.onFatal,
    };
    authority = await openAuthority(authorityOptions, (opened) => options.takeSaved(record.id, opened));
  } catch (error) {
    await journal.close();
    throw error;
  }
  return { record, authority, lock };
}

/** What devices are shown of this workspace, and under which keys. */
function publishing({ book, outlet }: GuardOptions, { id, path }: WorkspaceRecord): PublishOptions {
  return {
    outlet,
    name: basename(path),
    root: path,
    keys: () => book.keysOf(id),
    devices: () =>
      book.devices.map(({ device, nickname, revoked, right }) => ({ id: device, nickname, right, removed: revoked })),
    lastPublished: () => book.published(id),
    onPublished: (published) => book.publish(id, published),
  };
}
