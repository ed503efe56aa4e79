import { expect, test } from 'vitest';
import type { ActionId } from '../../../src/model/ids.ts';
import type { Located } from '../../../src/panel/inbox/located.ts';
import { locate } from '../../../src/panel/inbox/located.ts';
import { waitingBehind } from '../../../src/panel/inbox/waiting-behind.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';

/** Undecided actions of one lane, numbered from the front. */
function lane(count: number) {
  const index = locate(new FixtureReplica(richSet(0), { nowMs: 0 }).snapshot());
  const pending = [...index.values()].find(({ open, view }) => open && view.record.state === 'pending')!;
  const ids = Array.from({ length: count }, (_, at) => `a-${at + 1}` as ActionId);
  const made = new Map<ActionId, Located>(
    ids.map((id, at) => {
      const record = { ...pending.view.record, id, seq: at + 1, place: at + 1, lane: 'one', state: 'pending' as const };
      return [id, { ...pending, view: { ...pending.view, claims: [], record } }];
    }),
  );
  return { ids, index: made };
}

test('[DR-1] what is approved behind something undecided waits for it, and a person is told for what', () => {
  const { ids, index } = lane(6);
  const but = (...left: readonly number[]) => ids.filter((_, at) => !left.includes(at + 1));
  expect(waitingBehind(but(2, 4), index)).toEqual({ count: 3, behind: [2, 4] });
  expect(waitingBehind(but(6), index)).toEqual({ count: 0, behind: [] });
  expect(waitingBehind(ids, index)).toEqual({ count: 0, behind: [] });
  expect(waitingBehind([], index)).toEqual({ count: 0, behind: [] });
});

test('nothing waits for another lane, nor for what somebody answered already', () => {
  const { ids, index } = lane(3);
  const [first] = ids;
  const front = index.get(first!)!;
  const moved = { ...front.view, record: { ...front.view.record, lane: 'two' } };
  expect(waitingBehind(ids.slice(1), new Map(index).set(first!, { ...front, view: moved })).count).toBe(0);
  const held = { ...front.view, record: { ...front.view.record, state: 'held' as const } };
  expect(waitingBehind(ids.slice(1), new Map(index).set(first!, { ...front, view: held })).count).toBe(0);
});
