import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, utf8 } from '../../../src/base/bytes.ts';
import { canonicalBytes, parseCanonical } from '../../../src/base/canonical-json.ts';
import { CountersignError } from '../../../src/base/errors.ts';

const textOfValue = (value: unknown): string | undefined => textOf(canonicalBytes(value));
const parse = (text: string): unknown => parseCanonical(utf8(text));

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    // Only the code matters here; anything that is not operational is a bug and fails the test.
    if (CountersignError.is(thrown)) return thrown.code;
    throw thrown;
  }
  return 'nothing thrown';
}

describe('what has no canonical form', () => {
  test.each<[string, unknown]>([
    ['NaN', Number.NaN],
    ['infinity', { a: [Number.POSITIVE_INFINITY] }],
    ['half a surrogate pair', 'a\ud800'],
    ['half a surrogate pair in a key', { '\udc00': 1 }],
    ['a hole', [1, undefined]],
    ['a big integer', 1n],
    ['a function', { f: () => 1 }],
    ['a symbol', [Symbol('s')]],
    ['undefined', undefined],
    ['the key __proto__', JSON.parse('{"__proto__":1}')],
    ['the key constructor', { a: { constructor: 1 } }],
    ['the key prototype', [{ prototype: null }]],
  ])('%s', (_, value) => {
    expect(codeOf(() => canonicalBytes(value))).toBe('bad-input');
  });

  test('a value inside 65 others, while inside 64 is fine', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    expect(textOfValue(nested(64))).toBe(`${'['.repeat(64)}1${']'.repeat(64)}`);
    expect(codeOf(() => canonicalBytes(nested(65)))).toBe('bad-input');
  });
});

test('members that are undefined are left out', () => {
  expect(textOfValue({ b: undefined, a: 1 })).toBe('{"a":1}');
});

describe('bytes that are JSON, but not the only way to write it', () => {
  test.each([
    '{"b":1,"a":2}',
    '{"a":1,"a":1}',
    '{ "a":1}',
    '[1, 2]',
    '1.0',
    '1e2',
    '-0',
    '0.10',
    '1E400',
    '12345678901234567890',
    String.raw`"\u0041"`,
    String.raw`"\/"`,
    String.raw`"\u000a"`,
    String.raw`"\u001F"`,
    String.raw`"\ud800"`,
    '"a" ',
    '\ufeff1',
    '{"__proto__":1}',
    `${'['.repeat(66)}${']'.repeat(66)}`,
  ])('%s', (text) => {
    expect(codeOf(() => parse(text))).toBe('bad-input');
  });
});

test.each(['', '{', 'undefined', 'NaN', "{'a':1}", '[1,]', '01'])('bytes that are not JSON: %s', (text) => {
  expect(codeOf(() => parse(text))).toBe('bad-input');
});

test('bytes that are not UTF-8', () => {
  expect(codeOf(() => parseCanonical(Uint8Array.of(0x22, 0xff, 0x22)))).toBe('bad-input');
});

test('a canonical value is read back as it was, and has one form whatever the order of its keys', () => {
  fc.assert(
    fc.property(jsonValues, (value) => {
      const bytes = canonicalBytes(value);
      expect(canonicalBytes(parseCanonical(bytes))).toEqual(bytes);
      expect(canonicalBytes(turned(value))).toEqual(bytes);
    }),
  );
});

const keys = fc.string({ unit: 'grapheme', maxLength: 4 }).filter((key) => !['__proto__', 'constructor'].includes(key));
const { value: jsonValues } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
  ),
}));

/** The same value with the members of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, turned(member)]),
  );
}
