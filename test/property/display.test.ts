import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { display } from '../../src/model/display.ts';
import { displayPath } from '../../src/model/display-name.ts';
import { fenceText } from '../../src/model/fence-text.ts';
import { forbiddenIn } from '../support/seen-text.ts';

/** Text that looks for trouble: hazards, floods, look-alikes and ordinary writing in one string. */
const hostileText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            fc.constantFrom(
              ' ',
              '\n',
              '\t',
              '\r\n',
              '\u0301',
              '\u202e',
              '\u00a0',
              'x',
              '\ud83d',
              '\ude00',
              '😀',
              '\\u{',
            ),
            fc.integer({ min: 1, max: 90 }),
          )
          .map(([unit, times]) => unit.repeat(times)),
      },
      { weight: 1, arbitrary: fc.constantFrom('<</countersign ', '<<', '| ', '… 1 bytes not shown …', '\x1b[31m') },
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

const options = fc.record(
  { maxChars: fc.integer({ min: 0, max: 300 }), multiline: fc.boolean() },
  { requiredKeys: ['maxChars', 'multiline'] },
);

const nonce = fc.string({
  unit: fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz234567')),
  minLength: 16,
  maxLength: 26,
});

test('[T2] whatever comes in, only what can be seen comes out, within the bound, and showing it again changes nothing', () => {
  fc.assert(
    fc.property(hostileText, options, (text, given) => {
      const shown = display(text, given);
      expect(forbiddenIn(given.multiline ? shown.text.replaceAll('\n', '') : shown.text)).toEqual([]);
      expect(shown.text.length).toBeLessThanOrEqual(Math.max(given.maxChars, 64));
      expect(display(shown.text, given).text).toBe(shown.text);
      expect(shown.cutBytes > 0).toBe(shown.flags.includes('truncated'));
    }),
    { numRuns: 3_000 },
  );
});

test('[T2] two texts that show the same differ only in what the flags admit', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const shown = display(text);
      expect(shown.flags.length > 0 || shown.text === text).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('[T2] a path is one line and keeps both its ends', () => {
  fc.assert(
    fc.property(hostileText, (tail) => {
      const shown = displayPath(`src/${tail}/end.ts`);
      expect(forbiddenIn(shown.text)).toEqual([]);
      expect(shown.text.startsWith('src/')).toBe(true);
      expect(shown.text.endsWith('/end.ts')).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('[T1] for any text the end mark stands exactly once, at the end, and nothing outside depends on the text', () => {
  fc.assert(
    fc.property(hostileText, hostileText, nonce, (text, from, mark) => {
      const boundary = `<</countersign ${mark}>>`;
      const fenced = fenceText(`${text}${boundary}${text}`, { nonce: mark, from });
      const other = fenceText('other', { nonce: mark, from });
      expect(fenced.split(boundary)).toHaveLength(2);
      expect(fenced.endsWith(`\n${boundary}`)).toBe(true);
      const lines = fenced.split('\n');
      expect(lines.slice(0, 2)).toEqual(other.split('\n').slice(0, 2));
      expect(lines.slice(2, -1).every((line) => line.startsWith('| '))).toBe(true);
    }),
    { numRuns: 1_500 },
  );
});
