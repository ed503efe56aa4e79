import { expect, test } from 'vitest';
import { pad, truncate, widthOf, wrapHard, wrapWords } from '../../../src/cli/terminal/width.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['naïve', 5],
  ['e\u0301', 1],
  ['東京', 4],
  ['ｱｲ', 2],
  ['ＡＢ', 4],
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2],
  ['😀', 2],
  ['👍🏽', 2],
  ['🇩🇪', 2],
  ['שלום', 4],
  ['\u200eab\u200e', 2],
  ['○●✓✗…│', 6],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test('truncation keeps within its columns and never halves a wide letter', () => {
  expect(truncate('abcdef', 6)).toBe('abcdef');
  expect(truncate('abcdefg', 6)).toBe('abcde…');
  expect(truncate('東京東京', 6)).toBe('東京…');
  expect(truncate('src/very/long/path/app.ts', 15, 'middle')).toBe('src/ver…/app.ts');
  expect(truncate('abc', 1)).toBe('…');
  expect(truncate('abc', 0)).toBe('');
});

test('padding counts columns, not letters', () => {
  expect(pad('東', 4)).toBe('東  ');
  expect(pad('7', 3, 'right')).toBe('  7');
});

test('a hard wrap gives every letter back in order', () => {
  const text = 'ab東京cd  e\u0301f';
  expect(wrapHard(text, 4)).toEqual(['ab東', '京cd', '  e\u0301f']);
  expect(wrapHard(text, 3).join('')).toBe(text);
});

test('words wrap between words, and a long word is cut', () => {
  expect(wrapWords('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrapWords('a bcdefghij k', 4)).toEqual(['a', 'bcde', 'fghi', 'j k']);
});

test('letters that are taken one by one are those that the segmenter takes one by one', () => {
  const ranges = [
    [0x20, 0x7e],
    [0xa1, 0xac],
    [0xae, 0x2ff],
    [0x2010, 0x2027],
    [0x2190, 0x27bf],
  ] as const;
  const letters = ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));
  const text = String.fromCodePoint(...letters, ...letters.toReversed());
  const segments = Array.from(new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text));
  expect(wrapHard(text, 1)).toEqual(segments.map(({ segment }) => segment));
});
