import { utf8 } from '../base/bytes.ts';
import { isMark, isVisible, runsRightToLeft, visibleEscape } from './unicode-hazard.ts';
import { mixesScripts } from './unicode-script.ts';

export type DisplayFlag = 'escaped' | 'mixed-script' | 'truncated' | 'blank-flood';

/**
 * Untrusted text made fit to be seen.
 *
 * `text` is safe in a terminal and in a DOM text node: nothing in it is invisible, moves the cursor or reorders
 * by command. `cutBytes` counts the UTF-8 bytes left out of the middle. `isolate` is true when its letters run
 * right to left: whoever puts it beside other text keeps them apart (`<bdi>` in a page, marks of its own around the
 * value in a terminal), because the marks that do so are themselves what this text may not hold.
 */
export interface Displayed {
  readonly text: string;
  readonly flags: readonly DisplayFlag[];
  readonly cutBytes: number;
  readonly isolate: boolean;
}

export interface DisplayOptions {
  /** UTF-16 units of the result, at least `DISPLAY_LIMITS.charsMin`. */
  readonly maxChars?: number;
  /** Keeps line breaks, and shows tabs as spaces. Else both are escaped. */
  readonly multiline?: boolean;
}

export const DISPLAY_LIMITS = {
  /** UTF-16 units shown when nobody asked for more: about one screen of a phone, ten times over. */
  charsDefault: 4096,
  /** UTF-16 units a result may at least have: the note on what was left out must fit. */
  charsMin: 64,
  /** Combining marks on one letter; living languages stay below. */
  marksMax: 4,
  /** Blank lines in a row before they are counted instead of shown. */
  blankLinesMax: 8,
  /** Spaces in a row before they are counted: more can push text out of sight. */
  spacesMax: 64,
  /** The same invisible character in a row before it is counted. */
  repeatsMax: 16,
  /** Spaces a tab becomes. */
  tabSpaces: 4,
} as const;

/** A hidden payload likes the end: some of it is always shown. */
const HEAD_SHARE = 0.7;
const PLAIN = /^[\x20-\x7e]*$/;
const SPACES = new RegExp(` {${DISPLAY_LIMITS.spacesMax + 1},}`, 'g');
const BLANK_LINES = new RegExp(`\n{${DISPLAY_LIMITS.blankLinesMax + 2},}`, 'g');
const REPEATS = new RegExp(`([^\\p{L}\\p{N}\\p{P}\\p{S} ])\\1{${DISPLAY_LIMITS.repeatsMax},}`, 'gu');

/**
 * The one way untrusted text reaches a person (T2).
 *
 * What cannot be seen stands as `\u{202E}`, floods of blanks as their count, an overlong middle as the bytes left
 * out. Displaying a result again changes nothing. Text that itself holds the letters `\u{202E}` looks the same as an
 * escape: the flags, not the text, tell whether something was hidden.
 */
export function display(text: string, options: DisplayOptions = {}): Displayed {
  const charsMax = Math.max(options.maxChars ?? DISPLAY_LIMITS.charsDefault, DISPLAY_LIMITS.charsMin);
  const multiline = options.multiline ?? false;
  const lines = multiline ? unifyBreaks(text) : text;
  const calm = calmFloods(lines, multiline);
  const fitted = fit(calm.text, charsMax, multiline);
  const flags: DisplayFlag[] = [];
  if (fitted.escaped || calm.escaped) flags.push('escaped');
  if (mixesScripts(fitted.raw)) flags.push('mixed-script');
  if (fitted.cutBytes > 0) flags.push('truncated');
  if (calm.text !== lines) flags.push('blank-flood');
  return { text: fitted.text, flags, cutBytes: fitted.cutBytes, isolate: runsRightToLeft(fitted.text) };
}

/** `1,234`: the same on every device, whatever its language. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

interface Piece {
  raw: string;
  shown: string;
  readonly escaped: boolean;
}

interface Fitted {
  readonly text: string;
  /** What of the original `text` shows. */
  readonly raw: string;
  readonly cutBytes: number;
  readonly escaped: boolean;
}

/** CRLF is a line break; white space alone on a line cannot be seen either way. Each pattern is linear. */
function unifyBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll('\t', ' '.repeat(DISPLAY_LIMITS.tabSpaces)).replace(/^ +$/gm, '');
}

/** Counts what floods instead of showing it. `escaped` when a counted character was one that cannot be seen. */
function calmFloods(lines: string, multiline: boolean): { readonly text: string; readonly escaped: boolean } {
  const breaks = multiline
    ? lines.replace(BLANK_LINES, (run) => `\n${counted(run.length - 1, 'blank lines')}\n`)
    : lines;
  const spaced = breaks.replace(SPACES, (run) => ` ${counted(run.length, 'spaces')} `);
  const text = spaced.replace(REPEATS, (run: string, char: string) =>
    multiline && char === '\n' ? run : counted(run.length / char.length, `× ${visibleEscape(char)}`),
  );
  return { text, escaped: text !== spaced };
}

function fit(text: string, charsMax: number, multiline: boolean): Fitted {
  if (PLAIN.test(text) && text.length <= charsMax) return { text, raw: text, cutBytes: 0, escaped: false };
  const whole = text.length <= 2 * charsMax ? toPieces(text, multiline) : undefined;
  if (whole !== undefined && shownChars(whole) <= charsMax) return { ...join(whole), cutBytes: 0 };
  const bytes = utf8(text).length;
  const budget = charsMax - note(bytes, multiline).length;
  const fromStart = whole ?? toPieces(wellCut(text.slice(0, charsMax)), multiline);
  const fromEnd = (whole ?? toPieces(wellCut(text.slice(-charsMax)), multiline)).toReversed();
  const head = join(take(fromStart, Math.ceil(budget * HEAD_SHARE)));
  const tail = join(take(fromEnd, Math.floor(budget * (1 - HEAD_SHARE))).toReversed());
  const cutBytes = bytes - utf8(head.raw).length - utf8(tail.raw).length;
  return {
    text: head.text + note(cutBytes, multiline) + tail.text,
    raw: `${head.raw} ${tail.raw}`,
    cutBytes,
    escaped: head.escaped || tail.escaped,
  };
}

function note(cutBytes: number, multiline: boolean): string {
  const edge = multiline ? '\n' : ' ';
  return edge + counted(cutBytes, 'bytes not shown') + edge;
}

function counted(count: number, what: string): string {
  return `… ${formatCount(count)} ${what} …`;
}

/** A piece is what must not be torn apart: a character with its marks, an escape, a line break. */
function toPieces(text: string, multiline: boolean): readonly Piece[] {
  const pieces: Piece[] = [];
  let base: Piece | undefined;
  let marks = 0;
  for (const char of text) {
    const visible = isVisible(char);
    if (visible && isMark(char) && base !== undefined && marks < DISPLAY_LIMITS.marksMax) {
      base.raw += char;
      base.shown += char;
      marks += 1;
      continue;
    }
    const asItIs = (visible && !isMark(char)) || (multiline && char === '\n');
    const piece: Piece = { raw: char, shown: asItIs ? char : visibleEscape(char), escaped: !asItIs };
    pieces.push(piece);
    // A mark without a letter before it would be drawn on whatever our own screen has there.
    base = asItIs && char !== ' ' && char !== '\n' ? piece : undefined;
    marks = 0;
  }
  return pieces;
}

/** The first pieces that fit, without the blanks at the cut: the note brings its own. */
function take(pieces: readonly Piece[], chars: number): readonly Piece[] {
  let count = 0;
  let used = 0;
  for (const piece of pieces) {
    used += piece.shown.length;
    if (used > chars) break;
    count += 1;
  }
  while (count > 0 && /^[ \n]$/.test(pieces[count - 1]?.shown ?? '')) count -= 1;
  return pieces.slice(0, count);
}

/** Without the half of a surrogate pair that a cut left at either end. */
function wellCut(slice: string): string {
  return slice.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '');
}

function shownChars(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.shown.length, 0);
}

function join(pieces: readonly Piece[]): Omit<Fitted, 'cutBytes'> {
  return {
    text: pieces.map((piece) => piece.shown).join(''),
    raw: pieces.map((piece) => piece.raw).join(''),
    escaped: pieces.some((piece) => piece.escaped),
  };
}
