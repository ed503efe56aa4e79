import type { ApplyContext, RevertOutcome } from '../../authority/ports.ts';
import { assert, InvariantError, unreachable } from '../../base/assert.ts';
import { CountersignError } from '../../base/errors.ts';
import { whyOf } from './apply.ts';
import type { Disk } from './disk.ts';
import {
  effectOf,
  type DeleteEffect,
  type Effect,
  type MkdirEffect,
  type MoveEffect,
  type WriteEffect,
} from '../../model/file-effect.ts';
import { errnoOf } from './errno.ts';
import { inFolder, type Folder, type Site } from './folder.ts';
import { discardTree, makeTree } from './make-tree.ts';
import { checkTree, fileState, manifestOf, manifestOfMkdir, stale, type FileState, type Manifest } from './manifest.ts';
import type { Mark } from './mark.ts';
import { dropOldName, isSameFile, moveEntry } from './move-entry.ts';
import { discardTemp, putFile } from './put-file.ts';
import { finishRemoval, removeTree, type Removal } from './remove-tree.ts';
import { nameOf, parentOf } from './resource.ts';
import { revertTemp } from './temp-name.ts';

/** What undoing an effect takes, and how to tell whether it is possible, or done already. */
interface Undo {
  /** Finishes or removes what an interrupted attempt left under its temporary name. */
  clean(temp: string): void;
  /** Throws `stale` or `denied` unless all is exactly as the action left it. */
  check(): void;
  isDone(): boolean;
  perform(mark: Mark, temp: string): void;
}

type RevertContext = Pick<ApplyContext, 'content' | 'blob'>;

/**
 * Puts back what the action changed, if it is still exactly as the action left it. What is already as it was before
 * counts as put back, so that a revert that was interrupted can be asked for again.
 */
export function revertEffect(site: Site, context: RevertContext, signal: AbortSignal): RevertOutcome {
  if (signal.aborted) return { type: 'refused', why: 'It was called off before it began.', canRetry: true };
  const mark: Mark = { begun: false };
  try {
    withUndo(site, context, (undo) => {
      const temp = revertTemp(context.content);
      undo.clean(temp);
      if (!undo.isDone()) undo.perform(mark, temp);
    });
    return { type: 'reverted' };
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    if (mark.begun) return { type: 'in-doubt', why: whyOf(error) };
    return { type: 'refused', why: whyOf(error), canRetry: errnoOf(error) !== undefined };
  }
}

/**
 * Finishes what a revert that was interrupted had begun to remove, and removes what it had begun to make. A move is
 * left alone: whether it was going there or back is the same on disk.
 */
export function finishRevert(site: Site, context: RevertContext): void {
  if (effectOf(context.content.effect).op === 'move') return;
  withUndo(site, context, (undo) => undo.clean(revertTemp(context.content)));
}

/** Whether `revertEffect` would succeed now, changing nothing. */
export function canRevertEffect(
  site: Site,
  context: RevertContext,
): { readonly feasible: boolean; readonly why: string } {
  try {
    return withUndo(site, context, (undo) => {
      if (undo.isDone()) return { feasible: true, why: 'It is already as it was before.' };
      undo.check();
      return { feasible: true, why: 'It is still as the action left it.' };
    });
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { feasible: false, why: whyOf(error) };
  }
}

function withUndo<T>(site: Site, context: RevertContext, use: (undo: Undo) => T): T {
  const effect: Effect = effectOf(context.content.effect);
  switch (effect.op) {
    case 'nothing':
      return use({ clean: () => undefined, check: () => undefined, isDone: () => true, perform: () => undefined });
    case 'write':
      return inFolder(site, parentOf(effect.path), (folder) => use(undoWrite(site, folder, effect, context)));
    case 'mkdir':
      return inFolder(site, parentOf(effect.paths[0] ?? effect.path), (folder) => use(undoMkdir(site, folder, effect)));
    case 'delete':
      return inFolder(site, parentOf(effect.path), (folder) => use(undoDelete(site, folder, effect, context)));
    case 'move':
      return inFolder(site, parentOf(effect.from), (from) =>
        inFolder(site, parentOf(effect.to), (to) => use(undoMove(site, from, to, effect))),
      );
    default:
      return unreachable(effect);
  }
}

function undoWrite({ disk }: Site, folder: Folder, effect: WriteEffect, { blob }: RevertContext): Undo {
  const name = nameOf(effect.path);
  const written = fileState(effect.after);
  const { before } = effect;
  return {
    clean: (temp) =>
      before.type === 'file'
        ? discardTemp(disk, folder, temp)
        : finishLeftover(disk, folder, { name, manifest: oneFile(written), temp }),
    check: () => checkTree(disk, folder, name, oneFile(written)),
    isDone: () =>
      before.type === 'file'
        ? holds(() => checkTree(disk, folder, name, oneFile(fileState(before))))
        : isAbsent(folder, name),
    perform: (mark, temp) =>
      before.type === 'file'
        ? putFile(disk, mark, folder, {
            name,
            expect: written,
            bytes: blob(before.content.$blob),
            mode: before.mode,
            temp,
          })
        : removeTree(disk, mark, folder, { name, manifest: oneFile(written), temp }),
  };
}

function undoMkdir({ disk }: Site, folder: Folder, effect: MkdirEffect): Undo {
  const manifest = manifestOfMkdir(effect);
  const name = nameOf(effect.paths[0] ?? effect.path);
  return {
    clean: (temp) => finishLeftover(disk, folder, { name, manifest, temp }),
    check: () => checkTree(disk, folder, name, manifest),
    isDone: () => isAbsent(folder, name),
    perform: (mark, temp) => removeTree(disk, mark, folder, { name, manifest, temp }),
  };
}

function undoDelete({ disk }: Site, folder: Folder, effect: DeleteEffect, { blob }: RevertContext): Undo {
  const name = nameOf(effect.path);
  const manifest = manifestOf(effect.entries);
  const [top] = manifest;
  assert(top !== undefined, 'a delete names what it deletes');
  return {
    clean: (temp) => discardTree(disk, folder, temp),
    check: () => {
      if (!isAbsent(folder, name)) throw stale(`${effect.path} exists now.`);
      for (const entry of manifest) if (entry.type === 'file') blob(entry.sha256);
    },
    isDone: () => holds(() => checkTree(disk, folder, name, manifest)),
    perform: (mark, temp) =>
      top.type === 'file'
        ? putFile(disk, mark, folder, { name, expect: 'absent', bytes: blob(top.sha256), mode: top.mode, temp })
        : makeTree(disk, mark, folder, { name, manifest, temp, bytesOf: (entry) => blob(entry.sha256) }),
  };
}

function undoMove({ disk }: Site, from: Folder, to: Folder, effect: MoveEffect): Undo {
  const manifest = manifestOf(effect.entries);
  const source = { folder: from, name: nameOf(effect.from) };
  const target = { folder: to, name: nameOf(effect.to) };
  return {
    clean: () => {
      // Linked back to its old name, and interrupted before the new one was removed.
      if (isSameFile(from.stat(source.name), to.stat(target.name))) dropOldName(disk, target);
    },
    check: () => {
      checkTree(disk, to, target.name, manifest);
      if (!isAbsent(from, source.name)) throw stale(`${effect.from} exists now.`);
    },
    isDone: () => isAbsent(to, target.name) && holds(() => checkTree(disk, from, source.name, manifest)),
    perform: (mark) => moveEntry(disk, mark, target, source, manifest),
  };
}

/** A removal that was interrupted after its rename. What is not ours any more is named, and left to a person. */
function finishLeftover(disk: Disk, folder: Folder, removal: Removal): void {
  if (isAbsent(folder, removal.temp)) return;
  checkTree(disk, folder, removal.temp, removal.manifest, 'partly');
  finishRemoval(disk, folder, removal);
}

function oneFile(state: FileState): Manifest {
  return [{ type: 'file', path: '', ...state }];
}

function isAbsent(folder: Folder, name: string): boolean {
  return folder.stat(name) === undefined;
}

function holds(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (CountersignError.is(error) && (error.code === 'stale' || error.code === 'denied')) return false;
    throw error;
  }
}
