import { utf8 } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Precondition } from '../../model/content.ts';
import type { Digest } from '../../model/ids.ts';
import { changeable } from './changeable.ts';
import { hashOf } from './hash.ts';
import { FILE_LIMITS } from './limits.ts';
import { pathOf, resourceOf, shown, type RelativePath } from './resource.ts';
import { allIn, bytesOf, locate, type Located, type World } from './world.ts';

/** Largest file whose fingerprint is compared: what a move may hold. */
const COMPARED_BYTES_MAX = FILE_LIMITS.moveBytesMax;

export function mustBeAbsent(path: RelativePath): Precondition {
  return { resource: resourceOf(path), expect: 'absent' };
}

export function mustBeFile(path: RelativePath, sha256: Digest, mode: number): Precondition {
  return { resource: resourceOf(path), expect: `file:${sha256}:${mode.toString(8)}` };
}

/** A folder, whatever is in it. */
export function mustBeFolder(path: RelativePath): Precondition {
  return { resource: resourceOf(path), expect: 'dir' };
}

/** A folder with exactly these names in it, and these permissions. */
export function mustHold(path: RelativePath, names: readonly string[], mode: number): Precondition {
  return { resource: resourceOf(path), expect: listing(names, mode) };
}

/** Why the world no longer is as a precondition has it, in words; `undefined` when it is. */
export function violated(world: World, { resource, expect }: Precondition): string | undefined {
  const path = pathOf(resource);
  try {
    const located = locate(world, path, 'refuse');
    return matches(world, located, expect) ? undefined : difference(located, expect);
  } catch (error) {
    // A link on the way, a file that is no regular file any more: the sentence says so.
    if (CountersignError.is(error) && error.effect === 'none') return error.message;
    throw error;
  }
}

function difference({ path, entry }: Located, expect: string): string {
  if (expect === 'absent') return `${shown(path)} exists now.`;
  if (entry.type === 'absent') return `${shown(path)} no longer exists.`;
  if (expect.startsWith('dir')) return `${shown(path)} is no longer as it was: what it holds, or its permissions.`;
  return `${shown(path)} has changed since this was proposed.`;
}

function matches(world: World, located: Located, expect: string): boolean {
  const { entry, path } = located;
  if (expect === 'absent') return entry.type === 'absent';
  if (expect === 'dir') return entry.type === 'dir';
  if (entry.type === 'dir')
    return (
      expect ===
      listing(
        allIn(world, located).map(({ name }) => name),
        entry.mode,
      )
    );
  if (entry.type !== 'file' || !expect.endsWith(`:${entry.mode.toString(8)}`)) return false;
  changeable(world, located);
  return expect === mustBeFile(path, hashOf(bytesOf(world, path, entry, COMPARED_BYTES_MAX)), entry.mode).expect;
}

function listing(names: readonly string[], mode: number): string {
  return `dir:${hashOf(utf8([...names].toSorted().join('/')))}:${mode.toString(8)}`;
}
