import { expect, test } from 'vitest';
import { graceSeconds, graceWords } from '../../../src/panel/words/grace-words.ts';

test('[DR-5] a countdown ends at nothing, and begins at no more than the runtime waits', () => {
  expect([7_200, 200, 0, -5_000].map((leftMs) => graceSeconds(1_000_000 + leftMs, 1_000_000))).toEqual([8, 1, 0, 0]);
  expect(graceSeconds(10 * 3_600_000, 0), 'a clock that is another one').toBe(10);
});

test('[DR-5] what waits for others is not said to begin', () => {
  expect(graceWords(8, 0)).toBe('Applies in 8 s');
  expect(graceWords(0, 0)).toBe('Applies in a moment');
  expect(graceWords(8, 2)).toBe('Approved, waits its turn');
});
