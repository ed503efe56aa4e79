import { posix } from 'node:path';
import { assert, unreachable } from '../../base/assert.ts';
import { CountersignError } from '../../base/errors.ts';
import type { OverlayView } from '../../overlay/types.ts';
import type { DeniedFolders } from './denied.ts';
import { ABSENT, entryOfLayer, entryOfStat, type Entry, type FileEntry } from './entry.ts';
import type { Ground, GroundStat } from './ground.ts';
import { hashOf } from './hash.ts';
import { FILE_LIMITS } from './limits.ts';
import { checkNames } from './spelling.ts';
import { join, nameOf, namesOf, pathOf, resourceOf, shown, type RelativePath } from './resource.ts';
import { isOwnTempName } from './temp-name.ts';

/** Ground and pending effects as one tree, for the length of one tool call. */
export interface World {
  readonly ground: Ground;
  readonly denied: DeniedFolders;
  readonly view: OverlayView;
}

/** `grounded`: nothing pending hides what the ground holds below this path. */
export interface Located {
  readonly path: RelativePath;
  readonly entry: Entry;
  readonly grounded: boolean;
}

/** Nothing pends: the ground alone, for checks right before an effect. */
export const NOTHING_PENDING: OverlayView = {
  lookup: () => undefined,
  children: () => new Map(),
  below: () => new Map(),
  blob: (hash) => {
    throw new CountersignError('not-found', `The bytes ${hash} are not stored.`);
  },
};

/**
 * Finds what stands at a path, name by name from the workspace folder, so that every folder on the way is checked
 * against pending effects, links and denied folders. `follow`: links inside the workspace are followed, as a read
 * may; else a link on the way is refused, and a link at the end is the answer.
 *
 * Throws: `denied`.
 */
export function locate(world: World, path: RelativePath, links: 'follow' | 'refuse'): Located {
  let found = descend(world, path, links);
  for (let followed = 1; !('entry' in found); followed++) {
    if (followed > FILE_LIMITS.linksMax)
      throw new CountersignError('denied', `${path} goes through more than ${FILE_LIMITS.linksMax} symbolic links.`);
    found = descend(world, found.onward, links);
  }
  return found;
}

/** Goes down to a path, or to the first link on the way that is to be followed: `onward` is where it leads. */
function descend(
  world: World,
  path: RelativePath,
  links: 'follow' | 'refuse',
): Located | { readonly onward: RelativePath } {
  const names = namesOf(path);
  let here: Located = { path: '', entry: checked(world, '', world.ground.stat('')), grounded: true };
  for (const [index, name] of names.entries()) {
    if (here.entry.type !== 'dir') return { path, entry: ABSENT, grounded: false };
    here = enter(world, here, name);
    if (here.entry.type !== 'link') continue;
    const rest = names.slice(index + 1);
    if (links === 'follow') return { onward: join(linkTarget(world, here.path), rest.join('/')) };
    if (rest.length > 0)
      throw new CountersignError('denied', `${here.path} is a symbolic link; changes never go through one.`);
  }
  return here;
}

/** Bytes of a file found by `locate`. */
export function bytesOf(world: World, path: RelativePath, file: FileEntry, bytesMax: number): Uint8Array {
  if (file.bytes > bytesMax)
    throw new CountersignError(
      'full',
      `${shown(path)} has ${file.bytes} bytes; at most ${bytesMax} are possible here.`,
    );
  const { content } = file;
  switch (content.at) {
    case 'blob':
      return world.view.blob(content.sha256);
    case 'ground':
      assert(file.stat !== undefined, 'a file of the ground has been looked at');
      world.denied.checkFile(file.stat, path);
      return world.ground.read(path, bytesMax);
    case 'moved':
      return movedBytes(world, path, content, bytesMax);
    default:
      return unreachable(content);
  }
}

export interface Named {
  readonly name: string;
  readonly folder: boolean;
}

/** What an agent is shown of a folder: our own temporary files and denied folders are left out. */
export function listOf(world: World, folder: Located): readonly Named[] {
  return allIn(world, folder).filter(
    ({ name }) => !isOwnTempName(name) && !world.denied.isSpelled(join(folder.path, name)),
  );
}

/** Every name in a folder found by `locate`, sorted by code unit. */
export function allIn(world: World, folder: Located): readonly Named[] {
  const names = new Map<string, boolean>();
  if (folder.grounded) {
    for (const { name, kind } of world.ground.list(folder.path)) names.set(name, kind === 'dir');
  }
  for (const [resource, layer] of world.view.children(resourceOf(folder.path))) {
    const name = nameOf(pathOf(resource));
    if (layer.value === null) names.delete(name);
    else names.set(name, entryOfLayer(layer.value).type === 'dir');
  }
  return [...names]
    .map(([name, isFolder]) => ({ name, folder: isFolder }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** What stands under a name in a folder found by `locate`; a link is the answer, not followed. */
export function enter(world: World, folder: Located, name: string): Located {
  const path = join(folder.path, name);
  const layer = world.view.lookup(resourceOf(path));
  if (layer === undefined) {
    if (!folder.grounded) return { path, entry: ABSENT, grounded: false };
    return { path, entry: checked(world, path, world.ground.stat(path)), grounded: true };
  }
  world.denied.checkPath(path);
  const entry = entryOfLayer(layer.value);
  // A pending folder shows what the ground has there, if the ground has a folder there, too.
  const grounded =
    entry.type === 'dir' && folder.grounded && checked(world, path, world.ground.stat(path)).type === 'dir';
  return { path, entry, grounded };
}

function checked(world: World, path: RelativePath, stat: GroundStat | undefined): Entry {
  world.denied.checkPath(path);
  if (stat?.kind === 'dir') world.denied.checkFolder(stat, path);
  return entryOfStat(stat);
}

function linkTarget(world: World, path: RelativePath): RelativePath {
  const target = world.ground.readLink(path) ?? '';
  const whole = posix.resolve(world.ground.root, posix.dirname(path), target);
  const inside =
    relativeTo(world.ground.root, whole) ?? relativeTo(world.ground.root, world.ground.realPath(whole) ?? '');
  if (inside === undefined)
    throw new CountersignError('denied', `${path} is a symbolic link that leads out of the workspace.`);
  return checkNames(inside === '' ? '.' : inside, target, path);
}

function relativeTo(root: string, path: string): RelativePath | undefined {
  if (path === root) return '';
  const prefix = root === '/' ? '/' : `${root}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

function movedBytes(
  world: World,
  path: RelativePath,
  content: Extract<FileEntry['content'], { at: 'moved' }>,
  bytesMax: number,
): Uint8Array {
  let changed: Uint8Array | undefined;
  for (const name of content.ground) {
    const found = locate({ ...world, view: NOTHING_PENDING }, name, 'refuse');
    if (found.entry.type !== 'file') continue;
    const bytes = bytesOf({ ...world, view: NOTHING_PENDING }, name, found.entry, bytesMax);
    if (hashOf(bytes) === content.sha256) return bytes;
    // The person changed it since: these are the bytes that a move would carry now.
    changed ??= bytes;
  }
  if (changed !== undefined) return changed;
  throw new CountersignError('not-found', `${path} is to be moved here, but its source is gone from the disk.`);
}
