import { CountersignError } from '../../base/errors.ts';
import type { Precondition } from '../../model/content.ts';
import { changeable } from './changeable.ts';
import type { FileEntry } from './entry.ts';
import { mustHold } from './fingerprint.ts';
import { FILE_LIMITS } from './limits.ts';
import { join, shown, type RelativePath } from './resource.ts';
import { isOwnTempName } from './temp-name.ts';
import { allIn, enter, type Located, type World } from './world.ts';

/** One file or folder of a tree that is moved or deleted, folders before their contents. */
export type TreeNode =
  | { readonly path: RelativePath; readonly file: FileEntry }
  | { readonly path: RelativePath; readonly file: undefined; readonly mode: number; readonly holds: Precondition };

/**
 * Everything at and below a located path, `path` being the whole path.
 *
 * Throws: `full` past the bounds, `denied` for links, special files, hard links and denied folders in it.
 */
export function treeOf(world: World, located: Located, bytesMax: number): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  let bytes = 0;
  const visit = (at: Located): void => {
    if (nodes.length >= FILE_LIMITS.treeEntriesMax)
      throw full(located.path, `more than ${FILE_LIMITS.treeEntriesMax} files and folders`);
    if (at.entry.type === 'dir') {
      const names = allIn(world, at).map(({ name }) => name);
      nodes.push({
        path: at.path,
        file: undefined,
        mode: at.entry.mode,
        holds: mustHold(at.path, names, at.entry.mode),
      });
      for (const name of names) visit(enter(world, at, checkedName(at.path, name)));
      return;
    }
    const file = changeable(world, at);
    bytes += file.bytes;
    if (bytes > bytesMax) throw full(located.path, `more than ${bytesMax} bytes`);
    nodes.push({ path: at.path, file });
  };
  visit(located);
  return nodes;
}

function checkedName(folder: RelativePath, name: string): string {
  const path = join(folder, name);
  if (isOwnTempName(name)) throw new CountersignError('busy', `${path} is left by a change that has not ended yet.`);
  // Node shows names that are not UTF-8 with this character, and cannot open them by it.
  if (name.includes('\uFFFD')) throw new CountersignError('denied', `${path} has a name that is not UTF-8.`);
  return name;
}

function full(path: RelativePath, what: string): CountersignError {
  return new CountersignError('full', `${shown(path)} holds ${what}; take it in smaller parts.`);
}
