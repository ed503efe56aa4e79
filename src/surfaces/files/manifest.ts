import { constants } from 'node:fs';
import { CountersignError } from '../../base/errors.ts';
import type { Digest } from '../../model/ids.ts';
import type { Disk } from './disk.ts';
import type { Effect, KeptEntry, KeptFile, MovedEntry } from '../../model/file-effect.ts';
import { hasErrno } from './errno.ts';
import type { Folder } from './folder.ts';
import { groundStat, type GroundStat } from './ground.ts';
import { hashOf } from './hash.ts';
import { join, nameOf, parentOf, type RelativePath } from './resource.ts';

/** A file as it must be: its bytes by hash, and its permissions. */
export interface FileState {
  readonly sha256: Digest;
  readonly mode: number;
}

/** A tree as it must be, the thing itself first (`path: ''`), folders before their contents. */
export type Manifest = readonly ManifestEntry[];
export type ManifestEntry =
  | ({ readonly type: 'file'; readonly path: RelativePath } & FileState)
  | { readonly type: 'dir'; readonly path: RelativePath; readonly mode: number };

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

export function fileState(file: KeptFile): FileState {
  return { sha256: file.content.$blob, mode: file.mode };
}

export function manifestOf(entries: readonly (KeptEntry | MovedEntry)[]): Manifest {
  return entries.map((entry) => {
    if (entry.type === 'dir') return { type: 'dir', path: entry.path, mode: entry.mode };
    const sha256 = 'content' in entry ? entry.content.$blob : entry.sha256;
    return { type: 'file', path: entry.path, sha256, mode: entry.mode };
  });
}

/** The chain of folders that a mkdir makes, seen from the outermost. */
export function manifestOfMkdir(effect: Extract<Effect, { op: 'mkdir' }>): Manifest {
  const [first = ''] = effect.paths;
  return effect.paths.map((path) => ({ type: 'dir', path: path.slice(first.length + 1), mode: effect.mode }));
}

/**
 * Checks that one name is exactly this file, and nothing else is the same file.
 *
 * Throws: `stale`, `denied`.
 */
export function checkFile(disk: Disk, folder: Folder, name: string, expected: FileState): GroundStat {
  const path = join(folder.path, name);
  const seen = folder.stat(name);
  if (seen === undefined) throw stale(`${path} no longer exists.`);
  if (seen.kind !== 'file') throw new CountersignError('denied', `${path} is not a regular file now.`);
  if (seen.links > 1) throw new CountersignError('denied', `${path} has another name (a hard link) now.`);
  const { stat, sha256 } = hashAt(disk, folder, name);
  if (stat.ino !== seen.ino || stat.dev !== seen.dev) throw stale(`${path} was replaced while it was looked at.`);
  if (sha256 !== expected.sha256) throw stale(`${path} holds other bytes than expected.`);
  checkMode(path, stat.mode, expected.mode);
  return stat;
}

/** Hash and identity of one file, opened without following a link. */
export function hashAt(
  disk: Disk,
  folder: Folder,
  name: string,
): { readonly stat: GroundStat; readonly sha256: Digest } {
  const fd = openToRead(disk, folder, name);
  try {
    const stat = groundStat(disk.fstatSync(fd, { bigint: true }));
    if (stat.kind !== 'file')
      throw new CountersignError('denied', `${join(folder.path, name)} is not a regular file now.`);
    return { stat, sha256: hashOf(disk.readFileSync(fd)) };
  } finally {
    disk.closeSync(fd);
  }
}

/**
 * Checks that a name is exactly this tree. `partly`: it may also have lost some of it, as an interrupted removal
 * leaves it, but holds nothing else.
 *
 * Throws: `stale`, `denied`.
 */
export function checkTree(
  disk: Disk,
  folder: Folder,
  name: string,
  manifest: Manifest,
  extent: 'whole' | 'partly' = 'whole',
): void {
  checkNode(disk, folder, name, childrenOf(manifest), '', manifest[0], extent);
}

function checkNode(
  disk: Disk,
  folder: Folder,
  name: string,
  children: ReadonlyMap<RelativePath, Manifest>,
  at: RelativePath,
  entry: ManifestEntry | undefined,
  extent: 'whole' | 'partly',
): void {
  const path = join(folder.path, name);
  if (entry === undefined) throw stale(`${path} was not there before.`);
  if (extent === 'partly' && folder.stat(name) === undefined) return;
  if (entry.type === 'file') return void checkFile(disk, folder, name, entry);
  const inside = folder.enter(name);
  try {
    // A removal that was interrupted may have made the folder writable first.
    if (extent === 'whole') checkMode(path, folder.stat(name)?.mode ?? 0, entry.mode);
    const expected = new Map((children.get(at) ?? []).map((child) => [nameOf(child.path), child]));
    const present = inside.names();
    if (extent === 'whole' && present.length < expected.size) throw stale(`${path} no longer holds what it held.`);
    for (const each of present) checkNode(disk, inside, each, children, join(at, each), expected.get(each), extent);
  } finally {
    inside.close();
  }
}

function checkMode(path: RelativePath, mode: number, expected: number): void {
  if (mode !== expected) throw stale(`${path} has permissions ${mode.toString(8)}, not ${expected.toString(8)}.`);
}

/** Entries by the folder they lie in. */
export function childrenOf(manifest: Manifest): ReadonlyMap<RelativePath, Manifest> {
  const children = new Map<RelativePath, ManifestEntry[]>();
  for (const entry of manifest) {
    if (entry.path === '') continue;
    const siblings = children.get(parentOf(entry.path)) ?? [];
    siblings.push(entry);
    children.set(parentOf(entry.path), siblings);
  }
  return children;
}

function openToRead(disk: Disk, folder: Folder, name: string): number {
  try {
    return disk.openSync(folder.at(name), READ_FLAGS);
  } catch (error) {
    const path = join(folder.path, name);
    if (hasErrno(error, 'ENOENT')) throw stale(`${path} no longer exists.`, error);
    if (hasErrno(error, 'ELOOP', 'ENXIO', 'ENOTDIR'))
      throw new CountersignError('denied', `${path} is not a regular file now.`, { cause: error });
    throw error;
  }
}

export function stale(why: string, cause?: unknown): CountersignError {
  return new CountersignError('stale', why, cause === undefined ? {} : { cause });
}
