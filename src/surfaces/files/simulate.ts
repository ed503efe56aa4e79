import { unreachable } from '../../base/assert.ts';
import type { ToolResult } from '../../model/tool-result.ts';
import type { OverlayWriter } from '../../overlay/types.ts';
import { deletedText } from './describe-delete.ts';
import { madeText } from './describe-mkdir.ts';
import { movedText } from './describe-move.ts';
import { wroteText } from './describe-write.ts';
import type { Effect, MovedEntry, MoveEffect, WriteEffect } from '../../model/file-effect.ts';
import { entryOfLayer, fileLayer, folderLayer, movedLayer } from './entry.ts';
import { editDiff, fenced, plainText } from './line-diff.ts';
import { join, resourceOf, type RelativePath } from './resource.ts';

/** How a write is answered: as `write_file` does, or with the diff that `edit_file` gives. */
export type WriteAnswer = 'wrote' | 'diff';

/** Puts an effect into the overlay and answers what the tool answers once it happened. */
export function simulate(effect: Effect, overlay: OverlayWriter, answer: WriteAnswer): ToolResult {
  switch (effect.op) {
    case 'nothing':
      return textResult(effect.says);
    case 'write':
      overlay.put(resourceOf(effect.path), fileLayer(effect.after.content, effect.after.mode));
      return textResult(answer === 'diff' ? diffText(effect, overlay) : wroteText(effect.path));
    case 'mkdir':
      for (const path of effect.paths) overlay.put(resourceOf(path), folderLayer(effect.mode));
      return textResult(madeText(effect.path));
    case 'delete':
      for (const { path } of effect.entries) overlay.put(resourceOf(join(effect.path, path)), null);
      return textResult(deletedText(effect.path));
    case 'move':
      simulateMove(effect, overlay);
      return textResult(movedText(effect.from, effect.to));
    default:
      return unreachable(effect);
  }
}

export function textResult(...texts: readonly string[]): ToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

function simulateMove(effect: MoveEffect, overlay: OverlayWriter): void {
  for (const entry of effect.entries) {
    const from = join(effect.from, entry.path);
    const to = join(effect.to, entry.path);
    const layer = entry.type === 'dir' ? folderLayer(entry.mode) : movedFile(entry, from, overlay);
    overlay.put(resourceOf(to), layer);
    overlay.put(resourceOf(from), null);
  }
}

function movedFile(
  entry: Extract<MovedEntry, { type: 'file' }>,
  from: RelativePath,
  overlay: OverlayWriter,
): ReturnType<typeof movedLayer> {
  const { sha256, bytes, mode } = entry;
  const pending = overlay.lookup(resourceOf(from));
  const present = pending === undefined ? undefined : entryOfLayer(pending.value);
  if (present?.type !== 'file') return movedLayer({ sha256, bytes, mode, ground: [from] });
  if (present.content.at === 'blob') return fileLayer({ $blob: sha256, bytes }, mode);
  const earlier = present.content.at === 'moved' ? present.content.ground : [];
  return movedLayer({ sha256, bytes, mode, ground: [...earlier, from] });
}

function diffText(effect: WriteEffect, overlay: OverlayWriter): string {
  const before = effect.before.type === 'file' ? overlay.blob(effect.before.content.$blob) : new Uint8Array();
  const after = overlay.blob(effect.after.content.$blob);
  return fenced(editDiff(effect.path, plainText(before) ?? '', plainText(after) ?? ''));
}
