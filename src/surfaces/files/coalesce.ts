import { canonicalText } from '../../base/canonical-json.ts';
import type { ActionContent, Precondition } from '../../model/content.ts';
import { effectOf, type WriteEffect } from '../../model/file-effect.ts';
import { resourceOf } from './resource.ts';

/**
 * Writes of one file, each over what the one before it leaves, are one write: from the first base to the last bytes.
 * `null` for anything else.
 */
export function coalesceWrites(contents: readonly ActionContent[]): ActionContent | null {
  const [first] = contents;
  const effects = contents.map(writeOf);
  const [begins] = effects;
  const ends = effects.at(-1);
  if (first === undefined || begins === undefined || ends === undefined) return null;
  const chained = effects.every((effect, index) => index === 0 || continues(effect, effects[index - 1]));
  if (!chained || !contents.every((content) => asksForNoMore(content, first, begins.path))) return null;
  const effect: WriteEffect = { ...begins, after: ends.after };
  return { ...first, effect };
}

function writeOf({ effect }: ActionContent): WriteEffect | undefined {
  const read = effectOf(effect);
  return read.op === 'write' ? read : undefined;
}

function continues(effect: WriteEffect | undefined, before: WriteEffect | undefined): boolean {
  if (effect === undefined || before === undefined || effect.path !== before.path) return false;
  return canonicalText(effect.before) === canonicalText(before.after);
}

/** Only the first one's preconditions are held against the ground: the others may ask for nothing else than their own file. */
function asksForNoMore(content: ActionContent, first: ActionContent, path: string): boolean {
  const asked = new Set(first.preconditions.map(printed));
  return content.preconditions.every((each) => each.resource === resourceOf(path) || asked.has(printed(each)));
}

function printed({ expect, resource }: Precondition): string {
  return canonicalText([resource, expect]);
}
