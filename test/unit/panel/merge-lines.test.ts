import { expect, test } from 'vitest';
import { mergeLines } from '../../../src/panel/audit/merge-lines.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, at) => ({
    seq: from - at,
    atMs: 0,
    kind: 'applied',
    n: null,
    by: 'desk',
    why: null,
  }));
const seqs = (...args: Parameters<typeof mergeLines>) => mergeLines(...args).map(({ seq }) => seq);

test('pages of a log grow at both ends, newest first, nothing twice', () => {
  expect(seqs([], lines(9, 7))).toEqual([9, 8, 7]);
  expect(seqs(lines(9, 7), lines(6, 5))).toEqual([9, 8, 7, 6, 5]);
  expect(seqs(lines(9, 7), lines(11, 8))).toEqual([11, 10, 9, 8, 7]);
});

test('nothing new leaves the list what it was', () => {
  const known = lines(9, 7);
  expect(mergeLines(known, lines(9, 8))).toBe(known);
  expect(mergeLines(known, [])).toBe(known);
});

test('a list never hides that something is missing between two pages', () => {
  expect(seqs(lines(9, 7), lines(20, 18))).toEqual([20, 19, 18]);
});
