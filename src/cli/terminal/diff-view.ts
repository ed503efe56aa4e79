import { display, formatCount } from '../../model/display.ts';
import { displayPath } from '../../model/display-name.ts';
import { diffFile, type DiffHunk, type DiffLine, type FileChange } from '../../model/file-diff.ts';
import { isolated } from './seen.ts';
import type { Paint, Screen } from './style.ts';
import { wrapHard } from './width.ts';

export interface DiffView {
  readonly lines: readonly string[];
  readonly added: number;
  readonly removed: number;
  /** Lines of the difference that were left out. Approving with any of them is said and recorded. */
  readonly linesNotShown: number;
}

export interface DiffViewOptions {
  /** Shows every line. */
  readonly all: boolean;
}

export const DIFF_VIEW_LIMITS = {
  /** Lines of one file before the middle is left out. */
  linesMax: 400,
  /** UTF-16 units of one line. */
  lineChars: 4_000,
  /** Blank lines in a row before they are counted instead of shown. */
  blankLinesMax: 8,
} as const;

/** Of a difference too long to show, how much is its beginning: what is hidden at the end is still seen. */
const HEAD_SHARE = 0.75;
/** Columns a line of text gets at least, however narrow the terminal says it is. */
const ROW_MIN = 10;

/**
 * A unified diff for a terminal. On a screen every line of the file hangs on a rail, so that no line of a file can
 * pass for a header of ours; a pipe (`columns: null`) gets plain unified diff lines.
 */
export function renderDiff(change: FileChange, screen: Screen, options: DiffViewOptions): DiffView {
  const { style } = screen;
  const { notes, hunks, added, removed } = diffFile(change);
  const rows = hunks.flatMap(rowsOf);
  const { head, left, tail } = options.all ? { head: rows, left: [], tail: [] } : bounded(rows);
  const lineChars = options.all ? Number.MAX_SAFE_INTEGER : DIFF_VIEW_LIMITS.lineChars;
  const shown = [...head, ...tail].map((row) => printRow(row, screen, lineChars));
  const hidden = fileLines(left);
  const more = `… ${formatCount(hidden)} more lines not shown (--full shows them) …`;
  const body = shown.map(({ lines }) => lines);
  if (left.length > 0) body.splice(head.length, 0, ours(more, style.yellow, screen.columns));
  const count = rows.length === 0 ? '' : `  (+${formatCount(added)} −${formatCount(removed)})`;
  const renamed = change.from === null || change.from === change.path ? '' : `${pathOf(change.from)} → `;
  return {
    lines: [
      ...ours(renamed + pathOf(change.path) + count, style.bold, screen.columns),
      ...ours(notes.join(' · '), style.yellow, screen.columns),
      ...headers(change, hunks).flatMap((header) => ours(header, style.bold, screen.columns)),
      ...body.flat(),
    ],
    added,
    removed,
    linesNotShown: hidden + shown.filter(({ cut }) => cut).length,
  };
}

type Row =
  | { readonly type: 'hunk'; readonly hunk: DiffHunk }
  | { readonly type: 'line'; readonly line: DiffLine }
  | { readonly type: 'counted'; readonly sign: DiffLine['sign']; readonly blanks: number };

function rowsOf(hunk: DiffHunk): readonly Row[] {
  const rows: Row[] = [{ type: 'hunk', hunk }];
  for (let at = 0; at < hunk.lines.length;) {
    const line = hunk.lines[at];
    if (line === undefined) break;
    const blanks = blankRun(hunk.lines, at);
    if (blanks > DIFF_VIEW_LIMITS.blankLinesMax) rows.push({ type: 'counted', sign: line.sign, blanks });
    else rows.push({ type: 'line', line });
    at += blanks > DIFF_VIEW_LIMITS.blankLinesMax ? blanks : 1;
  }
  return rows;
}

function blankRun(lines: readonly DiffLine[], start: number): number {
  const sign = lines[start]?.sign;
  let end = start;
  while (lines[end]?.sign === sign && lines[end]?.text.trim() === '') end += 1;
  return end - start;
}

interface Bounded {
  readonly head: readonly Row[];
  readonly left: readonly Row[];
  readonly tail: readonly Row[];
}

function bounded(rows: readonly Row[]): Bounded {
  const excess = rows.length - DIFF_VIEW_LIMITS.linesMax;
  if (excess <= 0) return { head: rows, left: [], tail: [] };
  const head = Math.floor(DIFF_VIEW_LIMITS.linesMax * HEAD_SHARE);
  return { head: rows.slice(0, head), left: rows.slice(head, head + excess), tail: rows.slice(head + excess) };
}

function fileLines(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + (row.type === 'line' ? 1 : row.type === 'counted' ? row.blanks : 0), 0);
}

function headers({ path, from, before, after }: FileChange, hunks: readonly DiffHunk[]): readonly string[] {
  if (hunks.length === 0) return [];
  const old = before === null ? '/dev/null' : `a/${pathOf(from ?? path)}`;
  const now = after === null ? '/dev/null' : `b/${pathOf(path)}`;
  return [`--- ${old}`, `+++ ${now}`];
}

/** A line of our own, in pieces that fit: what the terminal wrapped by itself could pass for another line. */
function ours(text: string, paint: Paint, columns: number | null): readonly string[] {
  if (text === '') return [];
  const pieces = wrapHard(text, columns === null ? Infinity : Math.max(columns - 2, ROW_MIN));
  return pieces.map((piece, index) => (index === 0 ? '' : '┆ ') + paint(isolated(piece)));
}

interface Printed {
  readonly lines: readonly string[];
  /** True when a part of the line was left out. */
  readonly cut: boolean;
}

function printRow(row: Row, screen: Screen, lineChars: number): Printed {
  const { style } = screen;
  if (row.type === 'hunk') return { lines: [style.cyan(hunkHeader(row.hunk))], cut: false };
  if (row.type === 'counted') {
    const counted = `${row.sign}… ${formatCount(row.blanks)} blank lines …`;
    return { lines: [style.yellow(screen.columns === null ? counted : `│${counted}`)], cut: false };
  }
  const { sign, text, reveal } = row.line;
  const { text: shown, cutBytes } = display(reveal ? spacesShown(text) : text.replaceAll('\t', '    '), {
    maxChars: lineChars,
  });
  return { lines: onRail(sign, shown, paintOf(sign, style), screen.columns), cut: cutBytes > 0 };
}

function onRail(sign: string, shown: string, paint: Paint, columns: number | null): readonly string[] {
  if (columns === null) return [paint(sign + shown)];
  const pieces = wrapHard(shown, Math.max(columns - 2, ROW_MIN));
  return pieces.map((piece, index) =>
    index === 0 ? `│${paint(sign + isolated(piece))}` : `┆${paint(` ${isolated(piece)}`)}`,
  );
}

function paintOf(sign: DiffLine['sign'], style: Screen['style']): Paint {
  switch (sign) {
    case '+':
      return style.green;
    case '-':
      return style.red;
    case '\\':
      return style.dim;
    case ' ':
      return String;
  }
}

function spacesShown(text: string): string {
  return text.replaceAll(' ', '·').replaceAll('\t', '→   ');
}

function hunkHeader({ oldStart, oldLines, newStart, newLines }: DiffHunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** As unified diffs write it: `3` for one line, `0,0` before the first. */
function range(start: number, lines: number): string {
  return lines === 1 ? `${start}` : `${lines === 0 ? Math.max(start - 1, 0) : start},${lines}`;
}

function pathOf(path: string): string {
  return displayPath(path).text;
}
