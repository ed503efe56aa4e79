import { expect, test } from 'vitest';
import { canBeUndone, Gestures, GESTURE_LIMITS } from '../../../src/panel/app/gestures.ts';
import { gestureOf } from '../../../src/panel/app/ask-for.ts';
import { locate } from '../../../src/panel/inbox/located.ts';
import { FakeClock } from '../../../src/testing/fake-clock.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';

function open() {
  const clock = new FakeClock();
  const replica = new FixtureReplica(richSet(clock.nowMs()), { nowMs: clock.nowMs(), legMs: null });
  const gestures = new Gestures(replica, clock);
  const index = locate(replica.snapshot());
  const ids = (...seqs: readonly number[]) =>
    seqs.flatMap((seq) =>
      [...index.values()].filter(({ view }) => view.record.seq === seq).map(({ view }) => view.record.id),
    );
  return { clock, replica, gestures, index, ids };
}

test('an approval is bound to the digests that were shown, and says that it is saved', async () => {
  const { gestures, ids, index, replica } = open();
  gestures.ask(gestureOf({ index }, { kind: 'approve', ids: ids(9) }));
  await Promise.resolve();
  const [wish] = replica.wishes;
  expect(wish?.shown?.get(wish.ids[0]!)).toBe(index.get(wish!.ids[0]!)?.view.record.digest);
  expect(gestures.snapshot().outcomes).toMatchObject([{ text: 'Approved: #9. Saved on this device.', tone: 'good' }]);
});

test('[DR-11] several that are approved as one count whole or not at all', async () => {
  const { gestures, ids, index, replica } = open();
  gestures.ask({ ...gestureOf({ index }, { kind: 'approve', ids: ids(9, 11) }), bulk: true });
  gestures.ask({ ...gestureOf({ index }, { kind: 'approve', ids: ids(9) }), bulk: false });
  await Promise.resolve();
  expect(replica.wishes.map(({ body }) => body)).toEqual([{ mode: 'all-or-none' }, undefined]);
});

test('[DC-11] an approval can be taken back, whatever its digest is by then', async () => {
  const { gestures, ids, index, replica } = open();
  gestures.ask(gestureOf({ index }, { kind: 'approve', ids: ids(9) }));
  await Promise.resolve();
  await Promise.resolve();
  expect(gestures.undo()).toBe(true);
  await Promise.resolve();
  expect(replica.wishes.map(({ kind, shown }) => [kind, shown?.size])).toEqual([
    ['approve', 1],
    ['retract', 0],
  ]);
});

test('[DC-11] an undo is offered until all of it has begun', () => {
  const { ids, index } = open();
  const [one] = ids(9);
  const located = index.get(one!)!;
  const as = (state: 'approved' | 'applied') =>
    new Map(index).set(one!, { ...located, view: { ...located.view, record: { ...located.view.record, state } } });
  expect([canBeUndone([one!], as('approved')), canBeUndone([one!], as('applied'))]).toEqual([true, false]);
  expect([canBeUndone(null, as('applied')), canBeUndone(ids(9, 11), as('applied'))]).toEqual([true, true]);
});

test('[DC-11] a reject is kept back for five seconds, and is undone without a trace', async () => {
  const { clock, gestures, ids, index, replica } = open();
  gestures.ask(gestureOf({ index }, { kind: 'reject', ids: ids(9) }), 'no');
  expect([...gestures.snapshot().keptBack.values()]).toEqual(['reject']);
  clock.advance(GESTURE_LIMITS.keptBackMs - 1);
  expect(gestures.undo()).toBe(true);
  clock.advance(GESTURE_LIMITS.keptBackMs);
  await Promise.resolve();
  expect(replica.wishes).toEqual([]);
  expect(gestures.snapshot().keptBack.size).toBe(0);
});

test('a reject that was not undone is signed once, with its reason', async () => {
  const { clock, gestures, ids, index, replica } = open();
  gestures.ask(gestureOf({ index }, { kind: 'reject', ids: ids(9, 11) }), 'no');
  clock.advance(GESTURE_LIMITS.keptBackMs);
  await Promise.resolve();
  gestures.flush();
  expect(replica.wishes).toMatchObject([{ kind: 'reject', note: 'no', ids: ids(9, 11) }]);
});

test('what was kept back when the page went away is signed then', async () => {
  const { clock, gestures, ids, index, replica } = open();
  gestures.ask(gestureOf({ index }, { kind: 'reject', ids: ids(9) }));
  gestures.flush();
  clock.advance(GESTURE_LIMITS.keptBackMs);
  await Promise.resolve();
  expect(replica.wishes.length).toBe(1);
});

test('[T3] a bulk approval leaves out what cannot be undone or inspected, and says why', () => {
  const { gestures, index, replica } = open();
  const all = replica.snapshot().workspaces[0]!.open.map(({ record }) => record.id);
  const look = gestures.look(gestureOf({ index }, { kind: 'approve', ids: all }));
  const bad = replica.snapshot().workspaces[0]!.open.filter(({ record }) => !record.reversible || !record.inspectable);
  expect(bad.length).toBeGreaterThan(3);
  expect(look.included.filter((id) => bad.some(({ record }) => record.id === id))).toEqual([]);
  for (const { record } of bad) expect(look.excluded.find(({ id }) => id === record.id)?.why).toMatch(/by itself/);
});

test('[T3] what cannot be undone is approved when it was pointed at alone', () => {
  const { gestures, ids, index } = open();
  expect(gestures.look(gestureOf({ index }, { kind: 'approve', ids: ids(39) })).included).toEqual(ids(39));
});

test('what could not be saved is said in the words of the failure, and stays until it was read', async () => {
  const { clock, gestures, ids, index, replica } = open();
  replica.failNext = true;
  gestures.ask(gestureOf({ index }, { kind: 'approve', ids: ids(9) }));
  await Promise.resolve();
  await Promise.resolve();
  clock.advance(60_000);
  expect(gestures.snapshot().outcomes).toMatchObject([
    { tone: 'bad', text: 'Approve: #9 was not saved. This device has no room left for decisions.' },
  ]);
});
