/** Code points a terminal draws two columns wide (East Asian Wide and Fullwidth), as closed ranges in order. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

const ASCII = /^[\x20-\x7e]*$/;
/** ASCII, and Latin letters, punctuation, arrows and shapes that never join what stands beside them. */
const SINGLE = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u27bf]*$/;
/** Marks, format characters and the inner letters of a Hangul syllable take no column of their own. */
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
const ELLIPSIS = '…';

/** Made for the first text that needs it: to make it takes as long as a small command. */
let segmenter: Intl.Segmenter | undefined;

/** Terminal columns the text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return graphemes(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0);
}

/** The text in at most `columns` columns; `…` stands for the end, or for the middle, that did not fit. */
export function truncate(text: string, columns: number, cut: 'end' | 'middle' = 'end'): string {
  if (widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  const room = columns - 1;
  const tailRoom = cut === 'end' ? 0 : Math.floor(room / 2);
  const all = graphemes(text);
  const head = fitting(all, room - tailRoom);
  const tail = fitting(all.toReversed(), tailRoom).toReversed();
  return head.join('') + ELLIPSIS + tail.join('');
}

/** The text filled up with spaces to `columns`. */
export function pad(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return align === 'left' ? text + space : space + text;
}

/** The text in rows of at most `columns`, cut between letters: nothing is added, dropped or moved. */
export function wrapHard(text: string, columns: number): readonly string[] {
  if (widthOf(text) <= columns) return [text];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const grapheme of graphemes(text)) {
    const width = graphemeWidth(grapheme);
    if (used + width > columns && row !== '') {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += grapheme;
    used += width;
  }
  return [...rows, row];
}

/** The text in rows of at most `columns`, cut between words where that is possible. */
export function wrapWords(text: string, columns: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    const joined = row === '' ? word : `${row} ${word}`;
    if (widthOf(joined) <= columns) {
      row = joined;
      continue;
    }
    if (row !== '') rows.push(row);
    const pieces = wrapHard(word, columns);
    rows.push(...pieces.slice(0, -1));
    row = pieces.at(-1) ?? '';
  }
  return [...rows, row];
}

function graphemes(text: string): readonly string[] {
  if (SINGLE.test(text)) return Array.from(text);
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** No terminal gives one grapheme more than two columns. */
function graphemeWidth(grapheme: string): number {
  let width = 0;
  for (const char of grapheme) width += charWidth(char);
  return Math.min(width, 2);
}

function charWidth(char: string): number {
  if (ZERO.test(char)) return 0;
  const code = char.codePointAt(0) ?? 0;
  if (EMOJI.test(char)) return 2;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}

function fitting(all: readonly string[], columns: number): readonly string[] {
  let used = 0;
  const end = all.findIndex((grapheme) => (used += graphemeWidth(grapheme)) > columns);
  return end === -1 ? all : all.slice(0, end);
}
