import type { ApplyContext, Probed } from '../../authority/ports.ts';
import { InvariantError, unreachable } from '../../base/assert.ts';
import { evidenceOfFile, evidenceOfFolder, whyOf } from './apply.ts';
import {
  effectOf,
  type DeleteEffect,
  type Effect,
  type MkdirEffect,
  type MoveEffect,
  type WriteEffect,
} from '../../model/file-effect.ts';
import { inFolder, type Folder, type Site } from './folder.ts';
import { discardTree } from './make-tree.ts';
import {
  checkTree,
  fileState,
  hashAt,
  manifestOf,
  manifestOfMkdir,
  type FileState,
  type Manifest,
} from './manifest.ts';
import { dropOldName, isSameFile } from './move-entry.ts';
import { discardTemp } from './put-file.ts';
import { finishRemoval, putBack } from './remove-tree.ts';
import { finishRevert } from './revert.ts';
import { nameOf, parentOf } from './resource.ts';
import { applyTemp } from './temp-name.ts';
import { CountersignError } from '../../base/errors.ts';

const DONE = 'It is as it was before the change.';
const OTHER = 'It is neither as it was before the change nor as the change would leave it.';

/**
 * Looks what an interrupted attempt did, finishes what had passed its point of no return, and removes what it left
 * lying about. What it cannot tell from the disk it does not guess.
 */
export function probeEffect(site: Site, context: ApplyContext): Probed {
  const effect = effectOf(context.content.effect);
  try {
    // The attempt may have been a revert: then it is the action's effect that is asked about.
    finishRevert(site, context);
    return probe(site, effect, applyTemp(context.intent));
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { answer: 'unknown', why: whyOf(error) };
  }
}

function probe(site: Site, effect: Effect, temp: string): Probed {
  switch (effect.op) {
    case 'nothing':
      return { answer: 'applied', evidence: {} };
    case 'write':
      return inFolder(site, parentOf(effect.path), (folder) => probeWrite(site, folder, effect, temp));
    case 'mkdir':
      return inFolder(site, parentOf(effect.paths[0] ?? effect.path), (folder) =>
        probeMkdir(site, folder, effect, temp),
      );
    case 'delete':
      return inFolder(site, parentOf(effect.path), (folder) => probeDelete(site, folder, effect, temp));
    case 'move':
      return inFolder(site, parentOf(effect.from), (from) =>
        inFolder(site, parentOf(effect.to), (to) => probeMove(site, from, to, effect)),
      );
    default:
      return unreachable(effect);
  }
}

function probeWrite(site: Site, folder: Folder, effect: WriteEffect, temp: string): Probed {
  // Whatever the temporary file holds, the target alone tells what happened; it may be a second name of it.
  discardTemp(site.disk, folder, temp);
  folder.sync();
  const name = nameOf(effect.path);
  if (isFile(site, folder, name, fileState(effect.after)))
    return { answer: 'applied', evidence: evidenceOfFile(folder, name, effect.after.content.$blob) };
  const before =
    effect.before.type === 'file'
      ? isFile(site, folder, name, fileState(effect.before))
      : folder.stat(name) === undefined;
  return before ? { answer: 'not-applied', why: DONE } : { answer: 'unknown', why: OTHER };
}

function probeMkdir(site: Site, folder: Folder, effect: MkdirEffect, temp: string): Probed {
  const name = nameOf(effect.paths[0] ?? effect.path);
  const unfinished = folder.stat(temp) !== undefined;
  discardTree(site.disk, folder, temp);
  folder.sync();
  if (unfinished || folder.stat(name) === undefined)
    return { answer: 'not-applied', why: 'The new folder was not put in place.' };
  if (holdsTree(site, folder, name, manifestOfMkdir(effect)))
    return { answer: 'applied', evidence: evidenceOfFolder(folder, name) };
  return { answer: 'unknown', why: OTHER };
}

function probeDelete(site: Site, folder: Folder, effect: DeleteEffect, temp: string): Probed {
  const manifest = manifestOf(effect.entries);
  const removal = { name: nameOf(effect.path), manifest, temp };
  if (folder.stat(temp) !== undefined) {
    if (holdsTree(site, folder, temp, manifest, 'partly')) {
      finishRemoval(site.disk, folder, removal);
      return { answer: 'applied', evidence: { removed: manifest.length } };
    }
    putBack(site.disk, folder, removal);
    return { answer: 'not-applied', why: 'It had changed while it was being deleted, and was put back.' };
  }
  if (folder.stat(removal.name) === undefined) return { answer: 'applied', evidence: { removed: manifest.length } };
  return holdsTree(site, folder, removal.name, manifest)
    ? { answer: 'not-applied', why: DONE }
    : { answer: 'unknown', why: OTHER };
}

function probeMove(site: Site, from: Folder, to: Folder, effect: MoveEffect): Probed {
  const manifest = manifestOf(effect.entries);
  const source = { folder: from, name: nameOf(effect.from) };
  const old = from.stat(source.name);
  const fresh = to.stat(nameOf(effect.to));
  // Both names of one file: it was linked to its new name, and the old one was not removed yet.
  if (isSameFile(old, fresh)) {
    const [entry] = manifest;
    if (entry?.type !== 'file' || hashAt(site.disk, from, source.name).sha256 !== entry.sha256)
      return { answer: 'unknown', why: OTHER };
    dropOldName(site.disk, source);
    return { answer: 'applied', evidence: evidenceOfFolder(to, nameOf(effect.to)) };
  }
  if (old === undefined && holdsTree(site, to, nameOf(effect.to), manifest))
    return { answer: 'applied', evidence: evidenceOfFolder(to, nameOf(effect.to)) };
  if (fresh === undefined && holdsTree(site, from, source.name, manifest)) return { answer: 'not-applied', why: DONE };
  return { answer: 'unknown', why: OTHER };
}

function isFile(site: Site, folder: Folder, name: string, state: FileState): boolean {
  return holdsTree(site, folder, name, [{ type: 'file', path: '', ...state }]);
}

/** Whether a name is exactly this tree; anything else that the check finds is a `false`, not a failure. */
function holdsTree(
  site: Site,
  folder: Folder,
  name: string,
  manifest: Manifest,
  extent: 'whole' | 'partly' = 'whole',
): boolean {
  try {
    checkTree(site.disk, folder, name, manifest, extent);
    return true;
  } catch (error) {
    if (CountersignError.is(error) && (error.code === 'stale' || error.code === 'denied')) return false;
    throw error;
  }
}
