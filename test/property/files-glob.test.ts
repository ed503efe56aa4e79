import * as fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { compileGlob } from '../../src/surfaces/files/glob.ts';

const piece = fc.constantFrom('a', 'b', '.c', '*', '?', '**', '[ab]', '[^a]', '{a,b.c}', '*.c', 'a*', '**/a', '+', '$');
const glob = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('/'));
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', '.c', 'b.c', '+', '(', '$'), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));

/**
 * Goal: a glob means what people know globs to mean.
 * Method: a well-known second implementation, on the syntax both have (it hands parentheses on to its regular expression). What follows a last `**` must exist in ours.
 */
test('globs match what picomatch matches', () => {
  fc.assert(
    fc.property(glob, path, (pattern, at) => {
      fc.pre(!/(?:^|\/)\*\*$/u.test(pattern));
      const oracle = picomatch(pattern, { dot: true, noextglob: true });
      expect(compileGlob(pattern, 'pattern')(at), `${pattern} on ${at}`).toBe(oracle(at));
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['**', 'a/.b/c', true],
  ['a/**', 'a/b/c', true],
  ['a/**', 'a', false],
  ['*', 'a/b', false],
  ['[!a]', 'a', false],
  ['[!a]', 'b', true],
  ['{a', '{a', true],
  ['(a', '(a', true],
  ['a+', 'aa', false],
  ['{a,{b,c}}.ts', 'c.ts', true],
  [String.raw`\*`, '*', true],
  [String.raw`\*`, 'a', false],
  ['[]a]', ']', true],
  ['\u{1f600}?', '\u{1f600}x', true],
])('%j on %j: %j', (pattern, at, matches) => {
  expect(compileGlob(pattern, 'pattern')(at)).toBe(matches);
});
