import type { DiffHunk, DiffLine, FileDiff } from '../../model/file-diff.ts';

/** One row of a difference on the screen. Texts are as they stand in the file: whoever draws a row displays them. */
export type DiffRow =
  | { readonly type: 'gap'; readonly hidden: number | null; readonly oldStart: number; readonly newStart: number }
  | { readonly type: 'blanks'; readonly sign: DiffLine['sign']; readonly count: number }
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'line'; readonly line: NumberedLine }
  | { readonly type: 'pair'; readonly left: NumberedLine | null; readonly right: NumberedLine | null };

export interface NumberedLine extends DiffLine {
  readonly old: number | null;
  readonly new: number | null;
  /** UTF-16 units where it begins and ends to differ from its partner; `null` without one. */
  readonly differs: readonly [from: number, to: number] | null;
}

const DIFF_ROW_LIMITS = {
  /** Blank lines in a row before they are counted instead of shown: a flood can push text out of sight. */
  blankLinesMax: 8,
  /** UTF-16 units of a line that is compared letter by letter with its partner. */
  comparedCharsMax: 2_000,
} as const;

/** The rows of a difference, one column or two. */
export function diffRows(diff: FileDiff, layout: 'unified' | 'split'): readonly DiffRow[] {
  let oldEnd = 1;
  return diff.hunks.flatMap((hunk) => {
    const hidden = hunk.oldLines === 0 ? null : Math.max(hunk.oldStart - oldEnd, 0);
    oldEnd = hunk.oldStart + hunk.oldLines;
    const gap: readonly DiffRow[] =
      hidden === 0 || (diff.hunks.length === 1 && hunk.oldStart <= 1 && hunk.newStart <= 1)
        ? []
        : [{ type: 'gap', hidden, oldStart: hunk.oldStart, newStart: hunk.newStart }];
    const blocks = blocksOf(hunk);
    return [...gap, ...blocks.flatMap((block) => (layout === 'split' ? splitBlock(block) : unifiedBlock(block)))];
  });
}

/** Unchanged lines, or what was taken out together with what was put in its place. */
type Block =
  | { readonly type: 'same'; readonly lines: readonly NumberedLine[] }
  | { readonly type: 'changed'; readonly removed: readonly NumberedLine[]; readonly added: readonly NumberedLine[] };

function blocksOf(hunk: DiffHunk): readonly Block[] {
  const blocks: Block[] = [];
  let old = hunk.oldStart;
  let now = hunk.newStart;
  let same: NumberedLine[] = [];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  const flush = (): void => {
    if (same.length > 0) blocks.push({ type: 'same', lines: same });
    if (removed.length + added.length > 0) blocks.push({ type: 'changed', ...paired(removed, added) });
    [same, removed, added] = [[], [], []];
  };
  for (const line of hunk.lines) {
    if (line.sign === '\\') {
      // It speaks of the line above, on whichever side that stands.
      const list = added.length > 0 ? added : removed.length > 0 ? removed : same;
      list.push({ ...line, old: null, new: null, differs: null });
    } else if (line.sign === '-') {
      if (same.length > 0 || added.length > 0) flush();
      removed.push({ ...line, old: old++, new: null, differs: null });
    } else if (line.sign === '+') {
      if (same.length > 0) flush();
      added.push({ ...line, old: null, new: now++, differs: null });
    } else {
      if (removed.length + added.length > 0) flush();
      same.push({ ...line, old: old++, new: now++, differs: null });
    }
  }
  flush();
  return blocks;
}

/** Lines that stand opposite each other are marked where they differ. */
function paired(removed: readonly NumberedLine[], added: readonly NumberedLine[]) {
  if (removed.length !== added.length) return { removed, added };
  return {
    removed: removed.map((line, at) => ({ ...line, differs: differing(line, added[at]) })),
    added: added.map((line, at) => ({ ...line, differs: differing(line, removed[at]) })),
  };
}

function differing(line: NumberedLine, other: NumberedLine | undefined): NumberedLine['differs'] {
  if (other === undefined || line.sign === '\\' || other.sign === '\\') return null;
  const [a, b] = [line.text, other.text];
  if (Math.max(a.length, b.length) > DIFF_ROW_LIMITS.comparedCharsMax) return null;
  const shorter = Math.min(a.length, b.length);
  let from = 0;
  while (from < shorter && a[from] === b[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  // Next to nothing in common: marking the whole line says nothing.
  return from + tail < shorter / 3 ? null : [from, a.length - tail];
}

function unifiedBlock(block: Block): readonly DiffRow[] {
  if (block.type === 'same') return calm(block.lines.map((line) => ({ type: 'line', line })));
  return [block.removed, block.added].flatMap((lines) => calm(lines.map((line) => ({ type: 'line', line }))));
}

function splitBlock(block: Block): readonly DiffRow[] {
  if (block.type === 'same') return calm(block.lines.map((line) => ({ type: 'pair', left: line, right: line })));
  const count = Math.max(block.removed.length, block.added.length);
  return calm(
    Array.from({ length: count }, (_, at) => ({
      type: 'pair',
      left: block.removed[at] ?? null,
      right: block.added[at] ?? null,
    })),
  );
}

/** Counts floods of blank lines, as the command line does. */
function calm(rows: readonly DiffRow[]): readonly DiffRow[] {
  const calmed: DiffRow[] = [];
  let run: DiffRow[] = [];
  const flush = (): void => {
    const sign = signOf(run[0]);
    if (run.length > DIFF_ROW_LIMITS.blankLinesMax) calmed.push({ type: 'blanks', sign, count: run.length });
    else calmed.push(...run);
    run = [];
  };
  for (const row of rows) {
    if (isBlank(row)) run.push(row);
    else {
      flush();
      calmed.push(row);
    }
  }
  flush();
  return calmed;
}

function isBlank(row: DiffRow): boolean {
  if (row.type === 'line') return row.line.text.trim() === '' && row.line.sign !== '\\';
  return row.type === 'pair' && [row.left, row.right].every((line) => line === null || line.text.trim() === '');
}

function signOf(row: DiffRow | undefined): DiffLine['sign'] {
  if (row?.type === 'line') return row.line.sign;
  return row?.type === 'pair' ? (row.right?.sign ?? row.left?.sign ?? ' ') : ' ';
}
