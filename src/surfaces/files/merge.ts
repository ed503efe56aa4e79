import { diff3Merge } from 'node-diff3';
import { FILE_LIMITS } from './limits.ts';
import { linesOf } from './text-edit.ts';

export type Merged =
  | { readonly type: 'clean'; readonly text: string }
  | { readonly type: 'overlap' }
  | { readonly type: 'too-large' };

/** Three-way merge by lines; line endings belong to their lines, so that nothing but the changes changes. */
export function mergeTexts(base: string, ours: string, theirs: string): Merged {
  const parts = trimmed(linesOf(base), linesOf(ours), linesOf(theirs));
  const pairs = pairsOf(parts.base, parts.ours) + pairsOf(parts.base, parts.theirs);
  const lines = Math.max(parts.base.length, parts.ours.length, parts.theirs.length);
  if (lines > FILE_LIMITS.mergeLinesMax || pairs > FILE_LIMITS.mergePairsMax) return { type: 'too-large' };
  const text: string[] = [...parts.head];
  for (const region of diff3Merge([...parts.ours], [...parts.base], [...parts.theirs], {
    excludeFalseConflicts: true,
  })) {
    if (region.ok === undefined) return { type: 'overlap' };
    text.push(...region.ok);
  }
  return { type: 'clean', text: [...text, ...parts.tail].join('') };
}

interface Three {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

/** Cuts off what all three share at both ends, but for one line that keeps changes at the edge apart. */
function trimmed(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): Three & {
  readonly head: readonly string[];
  readonly tail: readonly string[];
} {
  const shortest = Math.min(base.length, ours.length, theirs.length);
  let head = 0;
  while (head < shortest && base[head] === ours[head] && base[head] === theirs[head]) head++;
  let tail = 0;
  while (tail < shortest - head && sameFromEnd(base, ours, tail) && sameFromEnd(base, theirs, tail)) tail++;
  head = Math.max(0, head - 1);
  tail = Math.max(0, tail - 1);
  const middle = (lines: readonly string[]): readonly string[] => lines.slice(head, lines.length - tail);
  return {
    head: base.slice(0, head),
    tail: base.slice(base.length - tail),
    base: middle(base),
    ours: middle(ours),
    theirs: middle(theirs),
  };
}

function sameFromEnd(a: readonly string[], b: readonly string[], offset: number): boolean {
  return a.at(-1 - offset) === b.at(-1 - offset);
}

/** How often two equal lines meet: what the longest-common-subsequence search costs. */
function pairsOf(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  return b.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}
