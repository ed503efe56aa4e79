import { structuredPatch } from 'diff';
import { textOf } from '../base/bytes.ts';
import { formatCount } from './display.ts';

export interface FileSide {
  readonly bytes: Uint8Array;
  /** Permission bits; `null` when nobody looked. */
  readonly mode: number | null;
}

/** One file before and after; `null` is absence. `from` is its path before, when it is renamed. */
export interface FileChange {
  readonly path: string;
  readonly from: string | null;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

export interface DiffLine {
  readonly sign: '+' | '-' | ' ' | '\\';
  /** As it stands in the file: whoever prints it displays it. */
  readonly text: string;
  /** Differs from another line of its hunk in white space alone, which must then be made visible. */
  readonly reveal: boolean;
}

export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly DiffLine[];
}

export interface FileDiff {
  /** What the lines do not show: new, deleted, renamed, mode, binary, line ends, the last newline. */
  readonly notes: readonly string[];
  readonly hunks: readonly DiffHunk[];
  readonly added: number;
  readonly removed: number;
}

export const DIFF_LIMITS = {
  /** Lines of unchanged text around a change. */
  contextLines: 3,
  /** Edits the search for the smallest difference may try; beyond, the file is shown as replaced. */
  editsMax: 2_000,
  /** Bytes at the start in which a NUL makes a file binary, as git has it. */
  sniffBytes: 8_000,
} as const;

/** The difference of two byte strings as a person reviews it: real hunks, and words for what lines cannot show. */
export function diffFile(change: FileChange): FileDiff {
  const before = change.before === null ? '' : readableText(change.before.bytes);
  const after = change.after === null ? '' : readableText(change.after.bytes);
  const about = [...existence(change), ...mode(change)];
  if (before === undefined || after === undefined)
    return { notes: [...about, `binary, ${sizes(change)}`], hunks: [], added: 0, removed: 0 };
  const ends = lineEnds(change, before, after);
  const hunks = hunksOf(ends.before, ends.after);
  const signs = hunks.flatMap(({ lines }) => lines.map(({ sign }) => sign));
  const removed = signs.filter((sign) => sign === '-').length;
  const added = signs.filter((sign) => sign === '+').length;
  const same = hunks.length === 0 && change.before !== null && change.after !== null ? ['content unchanged'] : [];
  const unlike = hunks.some(({ tooDifferent }) => tooDifferent) ? ['too different to compare: shown as replaced'] : [];
  return { notes: [...about, ...ends.notes, ...same, ...unlike], hunks, added, removed };
}

function readableText(bytes: Uint8Array): string | undefined {
  return bytes.subarray(0, DIFF_LIMITS.sniffBytes).includes(0) ? undefined : textOf(bytes);
}

function existence({ path, from, before, after }: FileChange): readonly string[] {
  if (before === null && after !== null) return [after.bytes.length === 0 ? 'new file, empty' : 'new file'];
  if (after === null && before !== null) return [before.bytes.length === 0 ? 'deleted, was empty' : 'deleted'];
  return from === null || from === path ? [] : ['renamed'];
}

function mode({ before, after }: FileChange): readonly string[] {
  const now = after?.mode ?? null;
  if (now === null) return [];
  if (before === null) return [`mode ${octal(now)}`];
  return before.mode === null || before.mode === now ? [] : [`mode ${octal(before.mode)} → ${octal(now)}`];
}

function octal(bits: number): string {
  return (bits & 0o7777).toString(8).padStart(3, '0');
}

function sizes({ before, after }: FileChange): string {
  const [old, now] = [before, after].map((side) => (side === null ? null : formatCount(side.bytes.length)));
  if (old === null) return `${now} bytes`;
  return now === null ? `was ${old} bytes` : `${old} → ${now} bytes`;
}

interface LineEnds {
  readonly before: string;
  readonly after: string;
  readonly notes: readonly string[];
}

/** Uniform CRLF is said once and taken off the lines; where ends are mixed each carriage return stays visible. */
function lineEnds(change: FileChange, before: string, after: string): LineEnds {
  const old = change.before === null ? 'none' : endsOf(before);
  const now = change.after === null ? 'none' : endsOf(after);
  const notes: string[] = [];
  if (old !== now && old !== 'none' && now !== 'none') notes.push(`line ends ${old} → ${now}`);
  else if (old === 'CRLF' || now === 'CRLF') notes.push('line ends CRLF');
  else if (old === 'mixed' || now === 'mixed') notes.push('line ends mixed');
  if (before !== '' && after !== '' && before.endsWith('\n') !== after.endsWith('\n'))
    notes.push(after.endsWith('\n') ? 'newline at end of file added' : 'newline at end of file removed');
  const uniform = old !== 'mixed' && now !== 'mixed';
  return uniform ? { before: unixEnds(before), after: unixEnds(after), notes } : { before, after, notes };
}

function endsOf(text: string): 'none' | 'LF' | 'CRLF' | 'mixed' {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  if (all === 0) return 'none';
  if (windows === 0) return 'LF';
  return windows === all ? 'CRLF' : 'mixed';
}

function unixEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

type Hunk = DiffHunk & { readonly tooDifferent: boolean };

function hunksOf(before: string, after: string): readonly Hunk[] {
  if (before === after) return [];
  if (before === '' || after === '') return [{ ...replaced(before, after), tooDifferent: false }];
  const options = { context: DIFF_LIMITS.contextLines, maxEditLength: DIFF_LIMITS.editsMax };
  const patch = structuredPatch('', '', before, after, undefined, undefined, options);
  if (patch === undefined) return [{ ...replaced(before, after), tooDifferent: true }];
  return patch.hunks.map(({ lines, ...place }) => ({ ...place, lines: revealed(lines), tooDifferent: false }));
}

function replaced(before: string, after: string): DiffHunk {
  const old = linesOf(before);
  const now = linesOf(after);
  const lines = [...signed('-', old, before), ...signed('+', now, after)].map(lineOf);
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: now.length, lines };
}

function signed(sign: '-' | '+', lines: readonly string[], text: string): readonly string[] {
  const open = text !== '' && !text.endsWith('\n') ? ['\\ No newline at end of file'] : [];
  return [...lines.map((line) => sign + line), ...open];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** A tab that becomes spaces, or a space at a line's end, would print as two equal lines. */
function revealed(raw: readonly string[]): readonly DiffLine[] {
  const lines = raw.map(lineOf);
  const old = new Set(lines.filter(({ sign }) => sign === '-').map(bare));
  const now = new Set(lines.filter(({ sign }) => sign === '+').map(bare));
  return lines.map((line) => {
    const twin = (line.sign === '-' && now.has(bare(line))) || (line.sign === '+' && old.has(bare(line)));
    return twin ? { ...line, reveal: true } : line;
  });
}

function bare({ text }: DiffLine): string {
  return text.replace(/\s+/g, ' ').trimEnd();
}

function lineOf(raw: string): DiffLine {
  const [first] = raw;
  const sign = first === '+' || first === '-' || first === '\\' ? first : ' ';
  return { sign, text: raw.slice(1), reveal: false };
}
