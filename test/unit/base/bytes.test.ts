import fc from 'fast-check';
import { expect, test } from 'vitest';
import { concat, equalBytes, fromHex, textOf, toBase32, toHex, utf8 } from '../../../src/base/bytes.ts';

test('text goes to UTF-8 and back, a byte order mark included', () => {
  for (const text of ['', 'plain', 'ä€😀', '\ufeffmarked', 'a\0b']) expect(textOf(utf8(text))).toBe(text);
});

test.each([
  ['a lone continuation byte', '80'],
  ['a cut sequence', 'e282'],
  ['an overlong slash', 'c0af'],
  ['half a surrogate pair', 'eda080'],
  ['past U+10FFFF', 'f4908080'],
])('bytes that are not UTF-8 have no text: %s', (_, hex) => {
  expect(textOf(fromHex(hex) ?? new Uint8Array(0))).toBeUndefined();
});

test('hexadecimal is lower case, even and nothing else', () => {
  expect(toHex(Uint8Array.of(0, 1, 0xab, 0xff))).toBe('0001abff');
  expect(fromHex('0001abff')).toEqual(Uint8Array.of(0, 1, 0xab, 0xff));
  expect(fromHex('')).toEqual(new Uint8Array(0));
  for (const text of ['0', 'AB', 'g0', ' 00', '0x00', '00\n'])
    expect(fromHex(text), JSON.stringify(text)).toBeUndefined();
});

test('hexadecimal goes there and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) =>
      equalBytes(fromHex(toHex(bytes)) ?? new Uint8Array(0), bytes),
    ),
  );
});

test('base32 is that of RFC 4648 §10, in lower case and without padding', () => {
  const vectors = {
    '': '',
    f: 'my',
    fo: 'mzxq',
    foo: 'mzxw6',
    foob: 'mzxw6yq',
    fooba: 'mzxw6ytb',
    foobar: 'mzxw6ytboi',
  };
  for (const [text, encoded] of Object.entries(vectors)) expect(toBase32(utf8(text))).toBe(encoded);
  expect(toBase32(new Uint8Array(16).fill(0xff))).toBe(`${'7'.repeat(25)}4`);
});

test('concatenation copies, and equality looks at every byte', () => {
  const part = Uint8Array.of(1, 2);
  const whole = concat(part, new Uint8Array(0), Uint8Array.of(3));
  part[0] = 9;
  expect(whole).toEqual(Uint8Array.of(1, 2, 3));
  expect(equalBytes(whole, Uint8Array.of(1, 2, 3))).toBe(true);
  expect(equalBytes(whole, Uint8Array.of(1, 2, 4))).toBe(false);
  expect(equalBytes(whole, Uint8Array.of(1, 2))).toBe(false);
});
