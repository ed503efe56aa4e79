const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
  'Arabic',
  'Armenian',
  'Cherokee',
  'Coptic',
  'Devanagari',
  'Georgian',
  'Hebrew',
  'Lisu',
  'Thai',
] as const;

const MATCHERS: readonly (readonly [string, RegExp])[] = [
  ...SCRIPTS.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const),
  ['other', new RegExp(`[^${SCRIPTS.map((s) => `\\p{Script=${s}}`).join('')}\\p{Script=Zyyy}\\p{Script=Zinh}]`, 'u')],
];

/** Scripts that people do write within one word (UTS 39, "highly restrictive"). */
const FAMILIES: readonly ReadonlySet<string>[] = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
];

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const LATIN = /\p{Script=Latin}/u;

/** Whole words a Latin reader takes for Latin: each letter has a twin there. Longer than one letter, or π alone counts. */
const LOOKALIKE = /^(?:[аеорсухіјѕһӏԁԛԝАВЕЅЗІЈКМНОРСТУХ\d]{2,}|[ονραιΑΒΕΖΗΙΚΜΝΟΡΤΥΧ\d]{2,})$/u;
const DIGITS = /^\d+$/;
/** Mathematical, fullwidth and enclosed forms of Latin letters: another code, the same look. */
const STYLED = /[\u{1d400}-\u{1d7ff}\uff21-\uff3a\uff41-\uff5a\u24b6-\u24e9\u{1f110}-\u{1f189}]/u;

/**
 * True when one word mixes scripts nobody writes together, such as Latin and Cyrillic.
 * Japanese, Chinese and Korean writing beside Latin is ordinary and allowed. Invisible characters do not split a word.
 */
export function mixesScripts(text: string): boolean {
  return words(text).some((word) => {
    const found = MATCHERS.filter(([, matcher]) => matcher.test(word)).map(([script]) => script);
    return found.length > 1 && !FAMILIES.some((family) => found.every((script) => family.has(script)));
  });
}

/**
 * True when a name is not what it looks like: mixed scripts, letters in disguise (`ａｐｐ`), or, beside Latin
 * words, a whole word of letters that have Latin twins (`src/арр.ts`). For names; prose would raise it for nothing.
 */
export function mixedScript(name: string): boolean {
  if (mixesScripts(name) || STYLED.test(name)) return true;
  return LATIN.test(name) && words(name).some((word) => LOOKALIKE.test(word) && !DIGITS.test(word));
}

function words(text: string): readonly string[] {
  return text.replace(INVISIBLE, '').match(WORD) ?? [];
}
