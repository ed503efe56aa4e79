/** Letters, marks, numbers, punctuation, symbols and the plain space. All else has no honest glyph of its own. */
const GLYPH = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
/** Fillers and selectors that Unicode files under letters or marks but draws as nothing. */
const IGNORABLE = /^\p{Default_Ignorable_Code_Point}$/u;
const MARK = /^\p{M}$/u;
/** Enclosing marks cross out or frame what they stand on: a struck "not" reads as its opposite. */
const ENCLOSING = /^\p{Me}$/u;

/** Blank or meaningless on screen although Unicode calls them letters or symbols. */
const BLANK: ReadonlySet<number> = new Set([
  0x2800, // braille pattern blank
  0x2d7f, // Tifinagh consonant joiner
  0xfffc, // object replacement
  0x13441, // Egyptian full blank
  0x13442, // Egyptian half blank
  0x16fe4, // Khitan filler
  0x1d159, // musical null notehead
]);

/** Marks drawn through their base, as closed ranges (canonical combining class 1, the ones fonts draw). */
const OVERLAYS: readonly (readonly [number, number])[] = [
  [0x0334, 0x0338],
  [0x20d2, 0x20d3],
  [0x20d8, 0x20da],
  [0x20e5, 0x20e6],
  [0x20ea, 0x20eb],
];

/** Blocks whose letters and digits run right to left, as closed ranges. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * True when a person sees this code point as what it is. False for controls, escapes, bidi controls, zero-width and
 * tag characters, variation selectors, separators, odd spaces, private use, noncharacters, unassigned, half
 * surrogates, fillers and marks that cross out their base.
 */
export function isVisible(char: string): boolean {
  if (!GLYPH.test(char) || IGNORABLE.test(char) || ENCLOSING.test(char)) return false;
  const code = char.codePointAt(0) ?? 0;
  return !BLANK.has(code) && !OVERLAYS.some(([from, to]) => code >= from && code <= to);
}

/** True for a mark that is drawn on the character before it. */
export function isMark(char: string): boolean {
  return MARK.test(char);
}

/** `\u{202E}`: how anything that is not visible is shown. */
export function visibleEscape(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

/** True when the text holds letters that would reorder what stands beside it on the same line. */
export function runsRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text);
}
