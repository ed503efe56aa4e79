import { expect, test } from 'vitest';
import { InvariantError } from '../../../src/base/assert.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { Gathering } from '../../../src/journal/sqlite/gathering.ts';
import { batchOf, endOf, sha256, START, stepAfter } from '../../contract/journal-rows.ts';

const FULL = new CountersignError('full', 'The disk is full.');
const first = stepAfter(START);
const second = stepAfter(endOf(first, START));
const third = stepAfter(endOf(second, START));

test('batches of one turn are one group, in the order they came', async () => {
  const gathering = new Gathering(sha256, START);
  const joined = [gathering.join(first), gathering.join(second)];
  const group = gathering.take();
  expect(group.waiting.map(({ batch }) => batch)).toEqual([first, second]);
  expect(group.end.seq).toBe(2);
  expect(gathering.isEmpty()).toBe(true);
  for (const { resolve } of group.waiting) resolve();
  await Promise.all(joined);
});

test('a batch that skips one is a bug, and does not disturb the group', () => {
  const gathering = new Gathering(sha256, START);
  void gathering.join(first);
  expect(() => gathering.join(third)).toThrow(InvariantError);
  void gathering.join(second);
  expect(gathering.take().end.seq).toBe(2);
});

test('who builds on a group that failed fails the same way; who starts over does not', async () => {
  const gathering = new Gathering(sha256, START);
  void gathering.join(first);
  gathering.take();
  gathering.giveUp(START, FULL);
  await expect(gathering.join(second)).rejects.toBe(FULL);
  await expect(gathering.join(third)).rejects.toBe(FULL);
  void gathering.join(batchOf({}));
  void gathering.join(first);
  void gathering.join(second);
  expect(gathering.take().end.seq).toBe(2);
});
