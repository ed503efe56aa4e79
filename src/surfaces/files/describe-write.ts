import type { Described } from '../../authority/ports.ts';
import { equalBytes, utf8 } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import { change, checkSize, keep, nothingToDo, parentFor, type WritableWorld } from './describe.ts';
import type { WriteEffect } from '../../model/file-effect.ts';
import { mustBeAbsent, mustBeFile } from './fingerprint.ts';
import { FILE_LIMITS } from './limits.ts';
import { editDiff, fenced, plainText } from './line-diff.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';
import { changeable } from './changeable.ts';
import { verdictOnText } from './verdict.ts';
import { locate } from './world.ts';
import type { RelativePath } from './resource.ts';

/** A file as it is before a write. `kept` is in the blob store. */
export type Present =
  | { readonly type: 'absent' }
  | { readonly type: 'file'; readonly kept: WriteEffect['after']; readonly bytes: Uint8Array };

/**
 * What stands where a file is to be written, its bytes kept.
 *
 * Throws: `bad-input` for a folder, `denied` for links and special files, `full` for what is too large to keep.
 */
export function presentFile(world: WritableWorld, path: RelativePath): Present {
  const located = locate(world, path, 'refuse');
  if (located.entry.type === 'absent') return { type: 'absent' };
  if (located.entry.type === 'dir') throw new CountersignError('bad-input', `${path} is a directory, not a file.`);
  const file = changeable(world, located);
  const content = keep(world, path, file);
  const bytes = world.view.blob(content.$blob);
  return { type: 'file', kept: { type: 'file', content, mode: file.mode }, bytes };
}

export function describeWrite(world: WritableWorld, path: RelativePath, content: string): Described {
  const present = presentFile(world, path);
  const bytes = utf8(content);
  if (present.type === 'file' && equalBytes(present.bytes, bytes)) return nothingToDo(path, wroteText(path));
  return replacement(world, path, present, bytes);
}

export function describeEdit(
  world: WritableWorld,
  path: RelativePath,
  edits: readonly TextEdit[],
  options: { readonly dryRun: boolean },
): Described {
  const present = presentFile(world, path);
  if (present.type === 'absent') throw new CountersignError('not-found', `path: ${path} does not exist.`);
  const before = plainText(present.bytes);
  if (before === undefined)
    throw new CountersignError('bad-input', `path: ${path} is not UTF-8 text, so it cannot be edited by text.`);
  const after = applyEdits(before, edits, path);
  if (options.dryRun || after === before) return nothingToDo(path, fenced(editDiff(path, before, after)));
  return replacement(world, path, present, utf8(after));
}

/** One file's new bytes over what stands there, as an action. */
export function replacement(
  world: WritableWorld,
  path: RelativePath,
  present: Present,
  bytes: Uint8Array,
  modeOfNew: number = FILE_LIMITS.newFileMode,
): Described {
  checkSize(path, bytes.length);
  const mode = present.type === 'file' ? present.kept.mode : modeOfNew;
  const after = { type: 'file' as const, content: { $blob: world.view.putBlob(bytes), bytes: bytes.length }, mode };
  const before = present.type === 'file' ? present.kept : { type: 'absent' as const };
  const effect: WriteEffect = { op: 'write', path, before, after };
  const preconditions =
    before.type === 'file'
      ? [mustBeFile(path, before.content.$blob, before.mode)]
      : [mustBeAbsent(path), parentFor(world, path)];
  return change({
    effect,
    preconditions,
    writes: [path],
    verdict: verdictOnText(path, mode, plainText(bytes)),
    reversibleWhy:
      before.type === 'file'
        ? 'The previous version is kept and can be put back.'
        : 'The new file can be removed again.',
  });
}

export function wroteText(path: RelativePath): string {
  return `Successfully wrote to ${path}`;
}
