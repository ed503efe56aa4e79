import { expect, test } from 'vitest';
import { CountersignError } from '../../../src/base/errors.ts';
import type { RevertOutcome, Surface } from '../../../src/authority/ports.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { post, type Post } from '../../support/post-surface.ts';
import { workshop, type Workshop } from '../../support/workshop.ts';

const HOUR = 3_600_000;

/** The post office with another way of calling letters back. */
function calledBack(world: Post, revert: Surface['revert']): Post {
  const surfaces = world.pack.surfaces.map(({ revert: _, ...rest }) => ({
    ...rest,
    ...(revert === undefined ? {} : { revert }),
  }));
  return { ...world, pack: { ...world.pack, surfaces } };
}

/** A letter has arrived, a person takes it back, and the process dies before anything has left for that. */
async function diesCallingBack(world: Post): Promise<Workshop> {
  const before = await workshop({ shelf: calledBack(world, () => new Promise<RevertOutcome>(() => undefined)) });
  const port = await before.agent();
  await port.call({ tool: 'send', arguments: { text: 'hello' }, callId: null });
  await before.person.approve([before.idOf(1)]);
  await before.settled();
  await before.person.decide({ kind: 'revert', ids: [before.idOf(1)] });
  await before.settled();
  expect(before.states()).toEqual({ 1: 'reverting' });
  return before;
}

test.each([
  ['E2', 'reverted', 0],
  ['E3', 'revert-in-doubt', 1],
] as const)(
  '[CA-3] %s: after a crash in a revert the effect itself is asked about, under its own key: %s',
  async (effectClass, state, letters) => {
    const world = post({ effectClass, ...(effectClass === 'E2' ? { keyWindowMs: 24 * HOUR } : {}) });
    const before = await diesCallingBack(world);
    const clock = new FakeClock({ nowMs: before.clock.nowMs() + 1_000 });
    const after = await workshop({ journal: before.journal, shelf: world, clock, seed: 2 });
    await after.settled();
    expect({ states: after.states(), letters: world.letters.length }).toEqual({ states: { 1: state }, letters });
  },
);

test.each([
  ['refuses', async () => ({ type: 'refused', why: 'closed', canRetry: true }) as const],
  ['throws before it began', () => Promise.reject(new CountersignError('denied', 'closed'))],
  ['is gone', undefined],
] as const)(
  '[CA-3] a keyed revert that is asked for again and %s is in doubt: the first one may still arrive',
  async (_, revert) => {
    const world = post({ effectClass: 'E2', keyWindowMs: 24 * HOUR });
    const before = await diesCallingBack(world);
    const clock = new FakeClock({ nowMs: before.clock.nowMs() + 1_000 });
    const after = await workshop({ journal: before.journal, shelf: calledBack(world, revert), clock, seed: 2 });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'revert-in-doubt' });
    world.letters.length = 0;
    world.way.final = true;
    clock.advance(HOUR);
    await after.settled();
    expect(after.states()).toEqual({ 1: 'reverted' });
  },
);
