import { constants } from 'node:fs';
import { CountersignError } from '../../base/errors.ts';
import type { Disk } from './disk.ts';
import { hasErrno } from './errno.ts';
import type { Folder } from './folder.ts';
import type { GroundStat } from './ground.ts';
import { checkFile, stale, type FileState } from './manifest.ts';
import { commit, NO_LINKS, type Mark } from './mark.ts';
import { join } from './resource.ts';

/** One file's next version, and the version it takes the place of. */
export interface FileSwap {
  readonly name: string;
  readonly expect: FileState | 'absent';
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly temp: string;
}

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Compare-and-set of one file: the new bytes are durable beside the target before one `link` or `rename` puts them
 * in place, and the target is looked at again right before.
 *
 * Throws: `stale`, `denied`; and what the system answers. `mark` tells whether the target may have changed.
 */
export function putFile(disk: Disk, mark: Mark, folder: Folder, swap: FileSwap): void {
  const base = checkTarget(disk, folder, swap);
  discardTemp(disk, folder, swap.temp);
  try {
    writeTemp(disk, folder, swap, base);
    const again = checkTarget(disk, folder, swap);
    if (again?.ino !== base?.ino)
      throw stale(`${join(folder.path, swap.name)} was replaced while the change was made.`);
    folder.confirm();
    if (base === undefined) placeNew(disk, mark, folder, swap);
    else commit(mark, () => disk.renameSync(folder.at(swap.temp), folder.at(swap.name)));
  } catch (error) {
    if (!mark.begun) discardTemp(disk, folder, swap.temp);
    throw error;
  }
  folder.sync();
}

/** Removes the temporary file that an interrupted attempt of ours left. */
export function discardTemp(disk: Disk, folder: Folder, temp: string): void {
  if (folder.stat(temp)?.kind === 'file') disk.unlinkSync(folder.at(temp));
}

/** Writes a new file, durable, with exactly these permissions. */
export function writeNew(
  disk: Disk,
  folder: Folder,
  name: string,
  file: { readonly bytes: Uint8Array; readonly mode: number; readonly owner?: Owner },
): void {
  const fd = disk.openSync(folder.at(name), CREATE_FLAGS, 0o600);
  try {
    for (let written = 0; written < file.bytes.length;) written += disk.writeSync(fd, file.bytes, written);
    if (file.owner !== undefined) own(disk, fd, file.owner, join(folder.path, name));
    // After the owner: a change of owner may drop permission bits.
    disk.fchmodSync(fd, file.mode);
    disk.fsyncSync(fd);
  } finally {
    disk.closeSync(fd);
  }
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function writeTemp(disk: Disk, folder: Folder, swap: FileSwap, base: GroundStat | undefined): void {
  const { bytes, mode } = swap;
  writeNew(disk, folder, swap.temp, base === undefined ? { bytes, mode } : { bytes, mode, owner: base });
}

/** A replaced file keeps its owner: the new one is made by us, and must not become ours. */
function own(disk: Disk, fd: number, owner: Owner, path: string): void {
  const made = disk.fstatSync(fd);
  if (made.uid === owner.uid && made.gid === owner.gid) return;
  try {
    disk.fchownSync(fd, owner.uid, owner.gid);
  } catch (error) {
    if (!hasErrno(error, 'EPERM')) throw error;
    throw new CountersignError('denied', `${path} cannot be given the owner of the file it replaces.`, {
      cause: error,
    });
  }
}

function checkTarget(disk: Disk, folder: Folder, swap: FileSwap): GroundStat | undefined {
  if (swap.expect !== 'absent') return checkFile(disk, folder, swap.name, swap.expect);
  if (folder.stat(swap.name) !== undefined) throw stale(`${join(folder.path, swap.name)} exists now.`);
  return undefined;
}

/** `link` never overwrites, `rename` does: it stands in only where a file system has no hard links. */
function placeNew(disk: Disk, mark: Mark, folder: Folder, { name, temp }: FileSwap): void {
  try {
    commit(mark, () => disk.linkSync(folder.at(temp), folder.at(name)));
  } catch (error) {
    if (!hasErrno(error, ...NO_LINKS)) throw error;
    if (folder.stat(name) !== undefined) throw stale(`${join(folder.path, name)} exists now.`, error);
    return commit(mark, () => disk.renameSync(folder.at(temp), folder.at(name)));
  }
  disk.unlinkSync(folder.at(temp));
}
