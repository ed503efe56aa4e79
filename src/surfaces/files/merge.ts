import { diffArrays } from 'diff';
import { diff3Merge } from 'node-diff3';
import { FILE_LIMITS } from './limits.ts';
import { linesOf } from './text-edit.ts';

export type Merged =
  | { readonly type: 'clean'; readonly text: string }
  | { readonly type: 'overlap' }
  | { readonly type: 'too-large' };

/** One unchanged line on each side keeps changes apart that do not touch. */
const CONTEXT_LINES = 1;

/** Lines `start` up to `end` of the base, and the lines that one side has in their place. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/**
 * Three-way merge by lines; line endings belong to their lines, so that nothing but the changes changes.
 *
 * The merge itself costs the square of its input and more, so it is given only the stretches that somebody changed;
 * what lies between them is the same in all three.
 */
export function mergeTexts(base: string, ours: string, theirs: string): Merged {
  const lines = linesOf(base);
  const mine = changesTo(lines, linesOf(ours));
  const other = changesTo(lines, linesOf(theirs));
  if (mine === undefined || other === undefined) return { type: 'too-large' };
  const parts: string[] = [];
  let done = 0;
  let budget: number = FILE_LIMITS.mergePairsMax;
  for (const { start, end } of stretches([...mine, ...other])) {
    const [a, o, b] = [sideOf(lines, mine, start, end), lines.slice(start, end), sideOf(lines, other, start, end)];
    budget -= pairsOf(o, a) + pairsOf(o, b);
    if (budget < 0) return { type: 'too-large' };
    parts.push(lines.slice(done, start).join(''));
    for (const region of diff3Merge([...a], [...o], [...b], { excludeFalseConflicts: true })) {
      if (region.ok === undefined) return { type: 'overlap' };
      parts.push(region.ok.join(''));
    }
    done = end;
  }
  return { type: 'clean', text: parts.join('') + lines.slice(done).join('') };
}

/** `undefined` when the two differ in too many lines. */
function changesTo(base: readonly string[], side: readonly string[]): readonly Change[] | undefined {
  const parts = diffArrays([...base], [...side], { maxEditLength: FILE_LIMITS.diffLinesMax });
  if (parts === undefined) return undefined;
  const changes: Change[] = [];
  let at = 0;
  for (const part of parts) {
    if (part.added) changes.push({ start: at, end: at, lines: part.value });
    else if (part.removed) changes.push({ start: at, end: at + part.value.length, lines: [] });
    if (!part.added) at += part.value.length;
  }
  return changes;
}

/** Base ranges that hold all changes, each with the lines around it, none touching another. */
function stretches(changes: readonly Change[]): readonly { readonly start: number; readonly end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (const { start, end } of changes.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = found.at(-1);
    const from = Math.max(0, start - CONTEXT_LINES);
    if (last !== undefined && from <= last.end) last.end = Math.max(last.end, end + CONTEXT_LINES);
    else found.push({ start: from, end: end + CONTEXT_LINES });
  }
  return found;
}

/** A base range as one side has it. No change crosses its borders. */
function sideOf(base: readonly string[], changes: readonly Change[], start: number, end: number): readonly string[] {
  const parts: (readonly string[])[] = [];
  let done = start;
  for (const change of changes) {
    if (change.start < start || change.end > end) continue;
    parts.push(base.slice(done, change.start), change.lines);
    done = change.end;
  }
  return [...parts, base.slice(done, end)].flat();
}

/** How often two equal lines meet: what the search for the longest common subsequence costs at least. */
function pairsOf(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  return b.reduce((sum, line) => sum + (counts.get(line) ?? 0), 0);
}
