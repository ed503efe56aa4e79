import type { ApplyContext, Outcome } from '../../authority/ports.ts';
import { InvariantError, unreachable } from '../../base/assert.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Digest } from '../../model/ids.ts';
import { effectOf, type Effect } from '../../model/file-effect.ts';
import { errnoOf } from './errno.ts';
import { inFolder, type Folder, type Site } from './folder.ts';
import { makeTree } from './make-tree.ts';
import { fileState, manifestOf, manifestOfMkdir } from './manifest.ts';
import type { Mark } from './mark.ts';
import { moveEntry } from './move-entry.ts';
import { putFile } from './put-file.ts';
import { removeTree } from './remove-tree.ts';
import { nameOf, parentOf } from './resource.ts';
import { applyTemp } from './temp-name.ts';

/** Makes the effect real, or answers that surely nothing changed, or that nobody can know from here. */
export function applyEffect(site: Site, context: ApplyContext, signal: AbortSignal): Outcome {
  if (signal.aborted) return { type: 'failed', why: 'It was called off before it began.' };
  const mark: Mark = { begun: false };
  const effect = effectOf(context.content.effect);
  try {
    return { type: 'applied', evidence: perform(site, mark, effect, context), drift: null };
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { type: mark.begun ? 'in-doubt' : 'failed', why: whyOf(error) };
  }
}

/** A sentence for a person, whatever went wrong. */
export function whyOf(error: unknown): string {
  if (CountersignError.is(error)) return error.message;
  const code = errnoOf(error);
  // The message holds a descriptor path, which tells a person nothing.
  return code === undefined ? messageOf(error) : `The operating system answered ${code}${meaning(code)}.`;
}

function perform(site: Site, mark: Mark, effect: Effect, context: ApplyContext): JsonObject {
  const temp = applyTemp(context.intent);
  switch (effect.op) {
    case 'nothing':
      return {};
    case 'write':
      return inFolder(site, parentOf(effect.path), (folder) => {
        putFile(site.disk, mark, folder, {
          name: nameOf(effect.path),
          expect: effect.before.type === 'file' ? fileState(effect.before) : 'absent',
          bytes: context.blob(effect.after.content.$blob),
          mode: effect.after.mode,
          temp,
        });
        return evidenceOfFile(folder, nameOf(effect.path), effect.after.content.$blob);
      });
    case 'mkdir':
      return performMkdir(site, mark, effect, temp);
    case 'delete':
      return inFolder(site, parentOf(effect.path), (folder) => {
        removeTree(site.disk, mark, folder, { name: nameOf(effect.path), manifest: manifestOf(effect.entries), temp });
        return { removed: effect.entries.length };
      });
    case 'move':
      return performMove(site, mark, effect);
    default:
      return unreachable(effect);
  }
}

function performMkdir(site: Site, mark: Mark, effect: Extract<Effect, { op: 'mkdir' }>, temp: string): JsonObject {
  const [first = effect.path] = effect.paths;
  return inFolder(site, parentOf(first), (folder) => {
    makeTree(site.disk, mark, folder, {
      name: nameOf(first),
      manifest: manifestOfMkdir(effect),
      temp,
      bytesOf: () => new Uint8Array(),
    });
    return evidenceOfFolder(folder, nameOf(first));
  });
}

function performMove(site: Site, mark: Mark, effect: Extract<Effect, { op: 'move' }>): JsonObject {
  return inFolder(site, parentOf(effect.from), (source) =>
    inFolder(site, parentOf(effect.to), (target) => {
      const to = { folder: target, name: nameOf(effect.to) };
      moveEntry(site.disk, mark, { folder: source, name: nameOf(effect.from) }, to, manifestOf(effect.entries));
      return evidenceOfFolder(target, to.name);
    }),
  );
}

/** What can be shown for a written file. The inode tells a later reader whether it is still this very file. */
export function evidenceOfFile(folder: Folder, name: string, sha256: Digest): JsonObject {
  return { ...evidenceOfFolder(folder, name), sha256 };
}

export function evidenceOfFolder(folder: Folder, name: string): JsonObject {
  const stat = folder.stat(name);
  return stat === undefined ? {} : { inode: String(stat.ino), mode: stat.mode.toString(8) };
}

function meaning(code: string): string {
  const known: Record<string, string> = {
    EACCES: ' (no permission)',
    EDQUOT: ' (quota used up)',
    EIO: ' (the disk cannot be read or written)',
    ENOSPC: ' (no space left)',
    EPERM: ' (not allowed)',
    EROFS: ' (read-only file system)',
    EXDEV: ' (source and destination are on different file systems)',
  };
  return known[code] ?? '';
}
