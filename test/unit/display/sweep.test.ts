import { expect, test } from 'vitest';
import { display } from '../../../src/model/display.ts';
import { forbiddenIn } from '../../support/seen-text.ts';

const PLANES: readonly (readonly [string, number, number])[] = [
  ['the basic plane', 0x0000, 0xffff],
  ['the supplementary planes in use', 0x10000, 0x323af],
  ['tags and variation selectors', 0xe0000, 0xe0fff],
  ['the last private plane', 0x10f000, 0x10ffff],
];

test.each(PLANES)('[T2] every code point of %s is itself or a visible escape', (_, from, to) => {
  const bad: string[] = [];
  for (let code = from; code <= to; code += 1) {
    const char = String.fromCodePoint(code);
    const { text, flags } = display(`a${char}b`);
    const escape = `a\\u{${code.toString(16).toUpperCase()}}b`;
    const honest = text === `a${char}b` ? flags.length === 0 || flags[0] === 'mixed-script' : text === escape;
    if (!honest || forbiddenIn(text).length > 0 || (text === escape) !== flags.includes('escaped')) bad.push(escape);
  }
  expect(bad).toEqual([]);
});

test('[T2] of the basic plane, the escaped are what they should be and no more', () => {
  let escaped = 0;
  for (let code = 0; code <= 0xffff; code += 1)
    if (display(`a${String.fromCodePoint(code)}`).flags.includes('escaped')) escaped += 1;
  // Surrogates and private use alone are 8,448; the rest of the margin is unassigned and grows smaller with Unicode.
  expect(escaped).toBeGreaterThan(8_448 + 65 + 34);
  expect(escaped).toBeLessThan(8_448 + 2_500);
});

test('[T2] an ASCII page is untouched', () => {
  const ascii = Array.from({ length: 95 }, (_, i) => String.fromCodePoint(32 + i)).join('');
  expect(display(ascii)).toEqual({ text: ascii, flags: [], cutBytes: 0, isolate: false });
});
