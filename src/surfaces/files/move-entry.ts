import type { Disk } from './disk.ts';
import { hasErrno } from './errno.ts';
import type { Folder } from './folder.ts';
import type { GroundStat } from './ground.ts';
import { checkTree, stale, type Manifest } from './manifest.ts';
import { commit, NO_LINKS, type Mark } from './mark.ts';
import { join } from './resource.ts';

/** A name in an open folder. */
export interface Spot {
  readonly folder: Folder;
  readonly name: string;
}

/**
 * Moves exactly this file or folder to a name that must be free.
 *
 * Throws: `stale`, `denied`; and what the system answers. `mark` tells whether it may have moved.
 */
export function moveEntry(disk: Disk, mark: Mark, from: Spot, to: Spot, manifest: Manifest): void {
  checkTree(disk, from.folder, from.name, manifest);
  checkFree(to);
  from.folder.confirm();
  to.folder.confirm();
  if (manifest[0]?.type === 'file') moveFile(disk, mark, from, to);
  else commit(mark, () => disk.renameSync(pathOf(from), pathOf(to)));
  to.folder.sync();
  from.folder.sync();
}

/** Removes the old name of a file that already has its new one. Also what is left to do after a crash. */
export function dropOldName(disk: Disk, from: Spot): void {
  disk.unlinkSync(pathOf(from));
  from.folder.sync();
}

/** Two names of one file, as a move leaves it that was interrupted between its two steps. */
export function isSameFile(a: GroundStat | undefined, b: GroundStat | undefined): boolean {
  return a?.kind === 'file' && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** `link` never overwrites, `rename` does: it stands in only where a file system has no hard links. */
function moveFile(disk: Disk, mark: Mark, from: Spot, to: Spot): void {
  try {
    commit(mark, () => disk.linkSync(pathOf(from), pathOf(to)));
  } catch (error) {
    if (!hasErrno(error, ...NO_LINKS)) throw error;
    checkFree(to);
    return commit(mark, () => disk.renameSync(pathOf(from), pathOf(to)));
  }
  to.folder.sync();
  disk.unlinkSync(pathOf(from));
}

function checkFree({ folder, name }: Spot): void {
  if (folder.stat(name) !== undefined) throw stale(`${join(folder.path, name)} exists now.`);
}

function pathOf({ folder, name }: Spot): string {
  return folder.at(name);
}
