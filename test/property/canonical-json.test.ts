import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalText, canonicalWith } from '../../src/base/canonical-json.ts';

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const key = fc
  .oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a', 'record', '\u{1F600}', '\uE000'))
  .filter((text) => !FORBIDDEN.has(text));
const value = fc.jsonValue().filter((json) => !/"(__proto__|constructor|prototype)"/.test(JSON.stringify(json)));

test('a member that was encoded before stands where it would have stood, whatever the keys around it', () => {
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 6 }), key, value, (rest, name, member) => {
      fc.pre(!Object.keys(rest).includes(name));
      const whole = canonicalText({ ...rest, [name]: member });
      expect(canonicalWith(rest, name, canonicalText(member))).toBe(whole);
    }),
    { numRuns: 3000 },
  );
});

test('what is written is what the reference library writes', () => {
  fc.assert(
    fc.property(value, (json) => {
      expect(canonicalText(json)).toBe(canonicalize(json));
    }),
    { numRuns: 20_000 },
  );
});

test('so is an object of few keys or of many', () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.integer(), { minKeys: 20, maxKeys: 60, size: 'max' }), (json) => {
      expect(canonicalText(json)).toBe(canonicalize(json));
    }),
    { numRuns: 500 },
  );
});
