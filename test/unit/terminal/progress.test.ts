import { expect, test } from 'vitest';
import { advanceProgress, NO_PROGRESS } from '../../../src/cli/terminal/progress.ts';
import { rowOf } from '../../support/queue-rows.ts';
import { expectSafe, screenOf } from '../../support/screens.ts';

const PIPE = { ...screenOf(null), rewrites: false };
const TERMINAL = { ...screenOf(60), rewrites: true };

test('without a terminal each change is one line, once', () => {
  const first = advanceProgress(NO_PROGRESS, [rowOf(1, { state: 'approved' }), rowOf(2, { state: 'approved' })], PIPE);
  expect(first).toMatchObject({ lines: [], status: null });
  const rows = [rowOf(1, { state: 'applied' }), rowOf(2, { state: 'failed', why: 'the folder is gone' })];
  const second = advanceProgress(first.progress, rows, PIPE);
  expect(second.lines).toEqual([
    '#1 ✓ applied  Write src/part-1.ts',
    '#2 ✗ failed  Write src/part-2.ts: the folder is gone',
  ]);
  expect(advanceProgress(second.progress, rows, PIPE).lines).toEqual([]);
});

test('on a terminal the status line is replaced, and only what went wrong stays', () => {
  const rows = [
    rowOf(1, { state: 'applied' }),
    rowOf(2, { state: 'in-doubt' }),
    rowOf(3, { state: 'applying' }),
    rowOf(4),
  ];
  const { lines, status } = advanceProgress(NO_PROGRESS, rows, TERMINAL);
  expect(lines).toEqual(['#2 ? in doubt  Write src/part-2.ts']);
  expect(status).toBe('██████████░░░░░░░░░░ 2/4  #3 Write src/part-3.ts');
});

test('[T2] titles and reasons cannot break out of their line', () => {
  const row = rowOf(1, { state: 'failed', title: `x\r\u001b[2K✓ ${'y'.repeat(500)}`, why: 'a\nb' });
  const { lines, status } = advanceProgress(
    NO_PROGRESS,
    [row, { ...row, id: rowOf(2).id, state: 'applying' }],
    TERMINAL,
  );
  expectSafe([...lines, status ?? ''], TERMINAL);
});

test('nothing to do is no progress', () => {
  expect(advanceProgress(NO_PROGRESS, [], TERMINAL).status).toBe('░░░░░░░░░░░░░░░░░░░░ 0/0');
});
