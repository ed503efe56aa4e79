import type { Disk } from './disk.ts';
import type { Folder } from './folder.ts';
import { childrenOf, stale, type Manifest, type ManifestEntry } from './manifest.ts';
import { commit, type Mark } from './mark.ts';
import { writeNew } from './put-file.ts';
import { join, nameOf, type RelativePath } from './resource.ts';

/** Folders, and files with the bytes that `bytesOf` gives, that come into being at once. */
export interface Creation {
  readonly name: string;
  readonly manifest: Manifest;
  readonly temp: string;
  readonly bytesOf: (entry: Extract<ManifestEntry, { type: 'file' }>) => Uint8Array;
}

/**
 * Compare-and-set from absence: the whole tree is made durable under a temporary name and renamed into place.
 * The tree's top is a folder.
 *
 * Throws: `stale`, `denied`; and what the system answers. `mark` tells whether the tree may be there.
 */
export function makeTree(disk: Disk, mark: Mark, folder: Folder, creation: Creation): void {
  checkAbsent(folder, creation.name);
  discardTree(disk, folder, creation.temp);
  const [top] = creation.manifest;
  try {
    if (top !== undefined) makeNode(disk, folder, creation.temp, '', top, creation, childrenOf(creation.manifest));
    checkAbsent(folder, creation.name);
    folder.confirm();
    commit(mark, () => disk.renameSync(folder.at(creation.temp), folder.at(creation.name)));
  } catch (error) {
    if (!mark.begun) discardTree(disk, folder, creation.temp);
    throw error;
  }
  folder.sync();
}

/** Removes a temporary tree that an interrupted attempt of ours left: by name everything in it is ours. */
export function discardTree(disk: Disk, folder: Folder, temp: string): void {
  const stat = folder.stat(temp);
  if (stat === undefined) return;
  if (stat.kind !== 'dir') return disk.unlinkSync(folder.at(temp));
  const inside = folder.enter(temp);
  try {
    for (const name of inside.names()) discardTree(disk, inside, name);
  } finally {
    inside.close();
  }
  disk.rmdirSync(folder.at(temp));
}

function checkAbsent(folder: Folder, name: string): void {
  if (folder.stat(name) !== undefined) throw stale(`${join(folder.path, name)} exists now.`);
}

function makeNode(
  disk: Disk,
  folder: Folder,
  name: string,
  at: RelativePath,
  entry: ManifestEntry,
  creation: Creation,
  children: ReadonlyMap<RelativePath, Manifest>,
): void {
  if (entry.type === 'file') return writeNew(disk, folder, name, { bytes: creation.bytesOf(entry), mode: entry.mode });
  disk.mkdirSync(folder.at(name), 0o700);
  const inside = folder.enter(name);
  try {
    for (const child of children.get(at) ?? [])
      makeNode(disk, inside, nameOf(child.path), child.path, child, creation, children);
    inside.sync();
    // Last: a folder without write permission cannot be filled. Explicitly: `umask` has its say in `mkdir`.
    inside.setMode(entry.mode);
  } finally {
    inside.close();
  }
}
