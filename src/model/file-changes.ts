import { unreachable } from '../base/assert.ts';
import type { JsonObject } from '../base/canonical-json.ts';
import type { BlobRef } from './content.ts';
import { effectOf, type Effect } from './file-effect.ts';

/** One file or folder before and after an action, for a diff; `null` is absence. Paths are relative. */
export interface PathChange {
  readonly path: string;
  /** Its path before, when it is moved. */
  readonly from: string | null;
  readonly before: PathVersion | null;
  readonly after: PathVersion | null;
}

/** `content` is `null` for a moved file: its bytes do not change and are not copied. */
export type PathVersion =
  | { readonly type: 'file'; readonly mode: number; readonly content: BlobRef | null }
  | { readonly type: 'dir'; readonly mode: number };

/** What an action of the files surface does, path by path, read from its countersigned effect. */
export function changesOf(value: JsonObject): readonly PathChange[] {
  return changesOfEffect(effectOf(value));
}

/** The same of an effect that was read already. */
export function changesOfEffect(effect: Effect): readonly PathChange[] {
  switch (effect.op) {
    case 'nothing':
      return [];
    case 'write':
      return [
        {
          path: effect.path,
          from: null,
          before: effect.before.type === 'file' ? effect.before : null,
          after: effect.after,
        },
      ];
    case 'mkdir':
      return effect.paths.map((path) => ({
        path,
        from: null,
        before: null,
        after: { type: 'dir', mode: effect.mode },
      }));
    case 'delete':
      return effect.entries.map((entry) => ({
        path: join(effect.path, entry.path),
        from: null,
        before: entry,
        after: null,
      }));
    case 'move':
      return effect.entries.map((entry) => {
        const version: PathVersion = entry.type === 'dir' ? entry : { type: 'file', mode: entry.mode, content: null };
        return {
          path: join(effect.to, entry.path),
          from: join(effect.from, entry.path),
          before: version,
          after: version,
        };
      });
    default:
      return unreachable(effect);
  }
}

function join(folder: string, name: string): string {
  return name === '' ? folder : `${folder}/${name}`;
}
