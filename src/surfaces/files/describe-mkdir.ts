import type { Described } from '../../authority/ports.ts';
import { CountersignError } from '../../base/errors.ts';
import { change, nothingToDo, type WritableWorld } from './describe.ts';
import type { MkdirEffect } from '../../model/file-effect.ts';
import { mustBeAbsent, mustBeFolder } from './fingerprint.ts';
import { FILE_LIMITS } from './limits.ts';
import { join, namesOf, parentOf, type RelativePath } from './resource.ts';
import { verdictOnFolder } from './verdict.ts';
import { locate } from './world.ts';

/** Makes a folder and those missing on the way to it. */
export function describeMkdir(world: WritableWorld, path: RelativePath): Described {
  const missing: RelativePath[] = [];
  let at = '';
  for (const name of namesOf(path)) {
    at = join(at, name);
    const { entry } = locate(world, at, 'refuse');
    if (entry.type === 'absent') missing.push(at);
    else if (entry.type !== 'dir') throw new CountersignError('bad-input', `path: ${at} is a file, not a directory.`);
  }
  const [first] = missing;
  if (first === undefined) return nothingToDo(path, madeText(path));
  const effect: MkdirEffect = { op: 'mkdir', path, paths: missing, mode: FILE_LIMITS.newFolderMode };
  return change({
    effect,
    preconditions: [mustBeAbsent(first), mustBeFolder(parentOf(first))],
    writes: missing,
    verdict: verdictOnFolder(missing),
    reversibleWhy: 'The new folder can be removed again while it is empty.',
  });
}

export function madeText(path: RelativePath): string {
  return `Successfully created directory ${path}`;
}
