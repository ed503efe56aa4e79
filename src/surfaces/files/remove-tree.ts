import type { Disk } from './disk.ts';
import type { Folder } from './folder.ts';
import { checkTree, childrenOf, stale, type Manifest, type ManifestEntry } from './manifest.ts';
import { commit, NO_LINKS, type Mark } from './mark.ts';
import { hasErrno } from './errno.ts';
import { join, nameOf, type RelativePath } from './resource.ts';

/** A file or folder that goes away, and what it must be when it does. */
export interface Removal {
  readonly name: string;
  readonly manifest: Manifest;
  readonly temp: string;
}

/**
 * Compare-and-set to absence: the target is renamed away in one step, looked at again where nobody knows its name,
 * and only then unlinked. If it is not what was expected it is put back.
 *
 * Throws: `stale`, `denied`; and what the system answers. `mark` tells whether the target may be gone.
 */
export function removeTree(disk: Disk, mark: Mark, folder: Folder, removal: Removal): void {
  checkTree(disk, folder, removal.name, removal.manifest);
  if (folder.stat(removal.temp) !== undefined) throw stale(`${join(folder.path, removal.temp)} is in the way.`);
  folder.confirm();
  commit(mark, () => disk.renameSync(folder.at(removal.name), folder.at(removal.temp)));
  try {
    checkTree(disk, folder, removal.temp, removal.manifest);
  } catch (error) {
    putBack(disk, folder, removal);
    mark.begun = false;
    throw error;
  }
  finishRemoval(disk, folder, removal);
}

/** Unlinks what was renamed away. Also what is left to do after a crash. */
export function finishRemoval(disk: Disk, folder: Folder, removal: Removal): void {
  const [top] = removal.manifest;
  if (top !== undefined) unlinkNode(disk, folder, removal.temp, '', top, childrenOf(removal.manifest));
  folder.sync();
}

/** Renames a target back whose removal must not go on. Throws `stale` when its name is taken. */
export function putBack(disk: Disk, folder: Folder, { name, temp, manifest }: Removal): void {
  const path = join(folder.path, name);
  if (folder.stat(name) !== undefined)
    throw stale(`${path} was made anew while it was being deleted; its earlier version is ${join(folder.path, temp)}.`);
  if (manifest[0]?.type === 'file' && linkedBack(disk, folder, name, temp)) disk.unlinkSync(folder.at(temp));
  else disk.renameSync(folder.at(temp), folder.at(name));
  folder.sync();
}

/** `false` where the file system has no hard links. */
function linkedBack(disk: Disk, folder: Folder, name: string, temp: string): boolean {
  try {
    disk.linkSync(folder.at(temp), folder.at(name));
    return true;
  } catch (error) {
    if (hasErrno(error, ...NO_LINKS)) return false;
    throw error;
  }
}

/** Removes exactly the entries it is given: `rmdir` refuses a folder that holds anything else. */
function unlinkNode(
  disk: Disk,
  folder: Folder,
  name: string,
  at: RelativePath,
  entry: ManifestEntry,
  children: ReadonlyMap<RelativePath, Manifest>,
): void {
  if (folder.stat(name) === undefined) return;
  if (entry.type === 'file') return disk.unlinkSync(folder.at(name));
  const inside = folder.enter(name);
  try {
    // Nothing can be unlinked in a folder without write permission, and this one is going away.
    if ((entry.mode & 0o700) !== 0o700) inside.setMode(0o700);
    for (const child of children.get(at) ?? [])
      unlinkNode(disk, inside, nameOf(child.path), child.path, child, children);
  } finally {
    inside.close();
  }
  disk.rmdirSync(folder.at(name));
}
