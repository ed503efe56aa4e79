import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromBase64Url, toBase64Url, utf8 } from '../../../src/base/bytes.ts';

test('base64url is that of RFC 4648 §10, without padding', () => {
  const vectors = { '': '', f: 'Zg', fo: 'Zm8', foo: 'Zm9v', foob: 'Zm9vYg', fooba: 'Zm9vYmE', foobar: 'Zm9vYmFy' };
  for (const [text, encoded] of Object.entries(vectors)) {
    expect(toBase64Url(utf8(text))).toBe(encoded);
    expect(fromBase64Url(encoded)).toEqual(utf8(text));
  }
  expect(toBase64Url(Uint8Array.of(0xfb, 0xff, 0xfe))).toBe('-__-');
});

test('it is what Node makes of any bytes, and goes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const encoded = toBase64Url(bytes);
      expect(encoded).toBe(Buffer.from(bytes).toString('base64url'));
      expect(fromBase64Url(encoded)).toEqual(bytes);
    }),
  );
});

test.each([
  ['a letter too many', 'A'],
  ['five letters', 'Zm9vY'],
  ['padding', 'Zg=='],
  ['the other alphabet', 'a+b/'],
  ['spare bits that are not zero', 'Zh'],
  ['spare bits of the third letter', 'Zm9'],
  ['white space', 'Zm 9v'],
  ['a line feed', 'Zm9v\n'],
  ['a letter past ASCII', 'Zm9é'],
])('text that is not its one form has no bytes: %s', (_, text) => {
  expect(fromBase64Url(text)).toBeUndefined();
});

test('no two texts have the same bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('A', 'B', 'g', 'w', '-', '_', '8'), maxLength: 9 }), (text) => {
      const bytes = fromBase64Url(text);
      if (bytes !== undefined) expect(toBase64Url(bytes)).toBe(text);
    }),
  );
});
