import type { Described, Reissued, ReissueMode } from '../../authority/ports.ts';
import { unreachable } from '../../base/assert.ts';
import { equalBytes, utf8 } from '../../base/bytes.ts';
import { CountersignError } from '../../base/errors.ts';
import type { ActionContent } from '../../model/content.ts';
import { BRANCH_RESOURCE } from './branch.ts';
import { nothingToDo, type WritableWorld } from './describe.ts';
import { deletedText, describeDelete } from './describe-delete.ts';
import { describeMkdir } from './describe-mkdir.ts';
import { describeMove } from './describe-move.ts';
import { presentFile, replacement, type Present } from './describe-write.ts';
import { effectOf, type DeleteEffect, type MoveEffect, type WriteEffect } from '../../model/file-effect.ts';
import { violated } from './fingerprint.ts';
import { plainText } from './line-diff.ts';
import { mergeTexts } from './merge.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';
import { locate } from './world.ts';

export interface ReissueRequest {
  readonly content: ActionContent;
  readonly mode: ReissueMode;
  /** What the agent asked to edit, if the action is an edit. */
  readonly edits: readonly TextEdit[] | undefined;
}

/** Describes an action anew against the world as it is now (GM-1, GM-2), or says why a person must choose. */
export function reissueEffect(world: WritableWorld, request: ReissueRequest): Reissued {
  const effect = effectOf(request.content.effect);
  try {
    switch (effect.op) {
      case 'nothing':
        return reissued(nothingToDo(effect.path, effect.says), 'It still changes nothing.');
      case 'write':
        return request.mode === 'merge' ? mergeWrite(world, effect) : overwrite(world, effect, request.edits);
      case 'mkdir':
        return reissued(describeMkdir(world, effect.path), 'The folders that are missing now are made.');
      case 'delete':
        return reissueDelete(world, effect, request);
      case 'move':
        return reissueMove(world, effect);
      default:
        return unreachable(effect);
    }
  } catch (error) {
    // The describing code says in its own words what cannot be done in the present world.
    if (CountersignError.is(error) && error.effect === 'none') return conflict(error.message);
    throw error;
  }
}

function mergeWrite(world: WritableWorld, effect: WriteEffect): Reissued {
  const { path, before } = effect;
  const present = presentFile(world, path);
  const ours = world.view.blob(effect.after.content.$blob);
  if (present.type === 'absent') {
    if (before.type === 'file') return conflict(`${path} was deleted since this was proposed.`);
    return reissued(replacement(world, path, present, ours, effect.after.mode), 'Nothing stands in its way now.');
  }
  if (equalBytes(present.bytes, ours)) return same(world, path, present, ours);
  if (before.type === 'absent') return conflict(`${path} was made by someone else since this was proposed.`);
  const base = plainText(world.view.blob(before.content.$blob));
  const mine = plainText(ours);
  const theirs = plainText(present.bytes);
  if (base === undefined || mine === undefined || theirs === undefined)
    return conflict(`${path} is not text and was changed since this was proposed.`);
  const merged = mergeTexts(base, mine, theirs);
  if (merged.type === 'too-large') return conflict(`${path} was changed, and is too large to merge.`);
  if (merged.type === 'overlap') return conflict(`${path} was changed in the same lines.`);
  const bytes = utf8(merged.text);
  if (equalBytes(present.bytes, bytes)) return same(world, path, present, bytes);
  return reissued(replacement(world, path, present, bytes), `Merged with your edit of ${path}.`);
}

/** The world already has what the action would make: it stays an action, so that its card and edges stay. */
function same(world: WritableWorld, path: string, present: Present, bytes: Uint8Array): Reissued {
  const described = { ...replacement(world, path, present, bytes), unchanged: true };
  return reissued(described, `${path} already is what this would make it.`);
}

/** The agent's wish over what stands there: its edits if they still fit, else the whole text it meant. */
function overwrite(world: WritableWorld, effect: WriteEffect, edits: readonly TextEdit[] | undefined): Reissued {
  const { path } = effect;
  const present = presentFile(world, path);
  const whole = world.view.blob(effect.after.content.$blob);
  const bytes = editedBytes(present, edits, path) ?? whole;
  const described = replacement(world, path, present, bytes, effect.after.mode);
  return reissued(described, `The agent's version, over ${path} as it is now.`);
}

function editedBytes(present: Present, edits: readonly TextEdit[] | undefined, path: string): Uint8Array | undefined {
  const text = present.type === 'file' && edits !== undefined ? plainText(present.bytes) : undefined;
  if (text === undefined || edits === undefined) return undefined;
  try {
    return utf8(applyEdits(text, edits, path));
  } catch (error) {
    // The edits no longer fit the text: the caller takes the whole recorded result.
    if (CountersignError.is(error) && error.code === 'bad-input') return undefined;
    throw error;
  }
}

function reissueDelete(world: WritableWorld, effect: DeleteEffect, { content, mode }: ReissueRequest): Reissued {
  const { path } = effect;
  if (locate(world, path, 'refuse').entry.type === 'absent')
    return reissued(nothingToDo(path, deletedText(path)), `${path} is already gone.`);
  const changed = content.preconditions
    .filter(({ resource }) => resource !== BRANCH_RESOURCE)
    .map((precondition) => violated(world, precondition))
    .find((why) => why !== undefined);
  if (changed !== undefined && mode === 'merge') return conflict(changed);
  return reissued(
    describeDelete(world, path, { recursive: effect.entries.length > 1 }),
    `${path} is deleted as it is now.`,
  );
}

function reissueMove(world: WritableWorld, effect: MoveEffect): Reissued {
  return reissued(describeMove(world, effect.from, effect.to), `${effect.from} is moved with its present content.`);
}

function reissued(described: Described, why: string): Reissued {
  return { type: 'reissued', described, why };
}

function conflict(why: string): Reissued {
  return { type: 'conflict', why };
}
