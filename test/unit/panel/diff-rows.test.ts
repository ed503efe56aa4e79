import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { diffFile } from '../../../src/model/file-diff.ts';
import { diffRows } from '../../../src/panel/detail/diff-rows.ts';

function diff(before: string, after: string) {
  const side = (text: string) => ({ bytes: utf8(text), mode: 0o644 });
  return diffFile({ path: 'a', from: null, before: side(before), after: side(after) });
}

const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join('');

test('every changed line stands in both layouts, with the number it has in its file', () => {
  const changed = LINES.replace('line 15\n', 'line fifteen\nand more\n');
  const one = diffRows(diff(LINES, changed), 'unified').filter((row) => row.type === 'line');
  expect(one.map(({ line }) => [line.sign, line.old, line.new]).filter(([sign]) => sign !== ' ')).toEqual([
    ['-', 15, null],
    ['+', null, 15],
    ['+', null, 16],
  ]);
  const two = diffRows(diff(LINES, changed), 'split').filter((row) => row.type === 'pair');
  const pairs = two.map(({ left, right }) => [left?.text ?? null, right?.text ?? null]).filter(([a, b]) => a !== b);
  expect(pairs).toEqual([
    ['line 15', 'line fifteen'],
    [null, 'and more'],
  ]);
});

test('what is left out between two places is counted', () => {
  const changed = LINES.replace('line 5\n', 'five\n').replace('line 25\n', 'twenty-five\n');
  const gaps = diffRows(diff(LINES, changed), 'unified').filter((row) => row.type === 'gap');
  expect(gaps.map(({ hidden, newStart }) => [hidden, newStart])).toEqual([
    [1, 2],
    [13, 22],
  ]);
});

test('lines that stand opposite each other are marked where they differ, and only there', () => {
  const rows = diffRows(diff('const total = 1;\n', 'const total = 22;\n'), 'split');
  expect(rows).toMatchObject([{ type: 'pair', left: { differs: [14, 15] }, right: { differs: [14, 16] } }]);
  const unlike = diffRows(diff('abc\n', 'xyz\n'), 'split');
  expect(unlike).toMatchObject([{ left: { differs: null }, right: { differs: null } }]);
});

test.each(['unified', 'split'] as const)(
  '[T2] a flood of blank lines is counted, and what comes after it is shown (%s)',
  (layout) => {
    const rows = diffRows(diff('a\n', `a\n${'\n'.repeat(5_000)}rm -rf /\n`), layout);
    expect(rows.length).toBeLessThan(12);
    expect(rows).toContainEqual({ type: 'blanks', sign: '+', count: 5_000 });
    expect(JSON.stringify(rows)).toContain('rm -rf /');
  },
);

test('the remark on a missing last newline stays with its side', () => {
  const rows = diffRows(diff('a\n', 'a'), 'split');
  expect(rows.flatMap((row) => (row.type === 'pair' ? [row.right?.sign] : []))).toEqual(['+', '\\']);
});

test('20,000 new lines are rows in a moment', () => {
  const rows = diffRows(diff('', LINES.repeat(700)), 'unified');
  expect(rows.length).toBe(21_000);
});
