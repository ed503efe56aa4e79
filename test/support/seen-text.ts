/**
 * What a person must never be shown as it is, written down apart from the code under test: every code point outside
 * visible categories, and by number those that Unicode calls letters or marks although nothing is drawn.
 */
const ALLOWED_CATEGORIES = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

const FORBIDDEN_RANGES: readonly (readonly [number, number])[] = [
  [0x0000, 0x001f],
  [0x007f, 0x00a0],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x205f, 0x206f],
  [0x2800, 0x2800],
  [0x3000, 0x3000],
  [0x3164, 0x3164],
  [0xd800, 0xf8ff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffc],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0x10ffff],
];

/** The code points of `text` that must not reach a screen, as hexadecimal; line breaks count. */
export function forbiddenIn(text: string): readonly string[] {
  const found: string[] = [];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const inRange = FORBIDDEN_RANGES.some(([from, to]) => code >= from && code <= to);
    if (inRange || (char !== ' ' && !ALLOWED_CATEGORIES.test(char))) found.push(code.toString(16));
  }
  return found;
}
