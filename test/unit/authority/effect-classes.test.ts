import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../../src/base/errors.ts';
import type { Outcome } from '../../../src/authority/ports.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { post, type Post } from '../../support/post-surface.ts';
import { till } from '../../support/till-surface.ts';
import { workshop, type Workshop } from '../../support/workshop.ts';

const HOUR = 3_600_000;

/** A letter is proposed, approved and on its way when the process dies; `arrived`: the world has it. */
async function diesSending(world: Post, arrived: boolean): Promise<Workshop> {
  const before = await workshop({ shelf: world });
  const never = new Promise<Outcome | undefined>(() => undefined);
  if (arrived) world.way.back = () => never;
  else world.way.there = () => never;
  const port = await before.agent();
  await port.call({ tool: 'send', arguments: { text: 'hello' }, callId: null });
  await before.person.approve([before.idOf(1)]);
  await before.settled();
  expect(before.states()).toEqual({ 1: 'applying' });
  delete world.way.back;
  delete world.way.there;
  return before;
}

/** The same journal and world in another process: its clock is another one, and what the first one waits for never comes. */
async function nextRun(before: Workshop, world: Post, laterMs = 1_000): Promise<Workshop> {
  const clock = new FakeClock({ nowMs: before.clock.nowMs() + laterMs });
  const after = await workshop({ journal: before.journal, shelf: world, clock, seed: 2 });
  await after.settled();
  return after;
}

describe('after a crash between intent and outcome', () => {
  test.each([
    ['E2', true, HOUR, 1, 'applied'],
    ['E2', false, HOUR, 1, 'applied'],
    ['E2', false, 30 * HOUR, 0, 'in-doubt'],
    ['E2', true, 30 * HOUR, 1, 'applied'],
    ['E3', true, HOUR, 1, 'applied'],
    ['E3', false, HOUR, 0, 'in-doubt'],
    ['E4', true, HOUR, 1, 'in-doubt'],
    ['E4', false, HOUR, 0, 'in-doubt'],
  ] as const)(
    '[EF-2] %s, arrived: %s, %i ms later: %i letters, %s',
    async (effectClass, arrived, laterMs, letters, state) => {
      const world = post({ effectClass, ...(effectClass === 'E2' ? { keyWindowMs: 24 * HOUR } : {}) });
      const after = await nextRun(await diesSending(world, arrived), world, laterMs);
      expect(world.letters).toHaveLength(letters);
      expect(after.states()).toEqual({ 1: state });
      if (effectClass === 'E4') expect(world.way.asks, 'what is blind is not asked').toBe(0);
    },
  );

  test('[EF-3] a keyed effect is asked for again with its own key, and without a probe, inside its window', async () => {
    const world = post({ effectClass: 'E2', keyWindowMs: 24 * HOUR, probe: false });
    const before = await diesSending(world, true);
    expect(before.authority.queue({ all: true })).toMatchObject([{ effectClass: 'E2' }]);
    const after = await nextRun(before, world);
    expect(after.states()).toEqual({ 1: 'applied' });
    expect(world.letters).toHaveLength(1);
  });

  test('[EF-3] the window counts from the first use of the key, not from the newest attempt', async () => {
    const world = post({ effectClass: 'E2', keyWindowMs: 24 * HOUR });
    const before = await workshop({ shelf: world });
    world.way.there = async () => ({ type: 'failed', why: 'closed' });
    await (await before.agent()).call({ tool: 'send', arguments: { text: 'hello' }, callId: null });
    await before.person.approve([before.idOf(1)]);
    await before.settled();
    before.clock.advance(20 * HOUR);
    world.way.there = () => new Promise(() => undefined);
    await before.person.decide({ kind: 'retry', ids: [before.idOf(1)] });
    await before.settled();
    delete world.way.there;
    const after = await nextRun(before, world, 10 * HOUR);
    expect(after.states()).toEqual({ 1: 'in-doubt' });
    expect(world.letters).toEqual([]);
  });

  test('[LC-3] a keyed effect that fails when it is asked for again is in doubt: the first request may still arrive', async () => {
    const world = post({ effectClass: 'E2', keyWindowMs: 24 * HOUR });
    const before = await diesSending(world, false);
    world.way.there = async () => ({ type: 'failed', why: 'too many requests' });
    const after = await nextRun(before, world);
    expect(after.states()).toEqual({ 1: 'in-doubt' });
    world.letters.push({ key: keyOf(after), text: 'hello' });
    after.clock.advance(HOUR);
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied' });
  });

  const closed = (): Promise<Outcome> => Promise.reject(new CountersignError('denied', 'closed'));
  test.each([
    ['says that it failed', 'can no longer arrive', 'failed', async () => ({ type: 'failed', why: 'closed' }) as const],
    ['throws before it began', 'can no longer arrive', 'failed', closed],
    ['throws before it began', 'may arrive', 'in-doubt', closed],
  ] as const)('[LC-3] asked for again, a keyed effect %s, and the first one %s: %s', async (_, first, state, there) => {
    const world = post({ effectClass: 'E2', keyWindowMs: 24 * HOUR });
    const before = await diesSending(world, false);
    world.way.final = first === 'can no longer arrive';
    world.way.there = there;
    expect((await nextRun(before, world)).states()).toEqual({ 1: state });
  });

  test('[EF-2] a probed effect is done again only when the old request can no longer land', async () => {
    const world = post({ effectClass: 'E3' });
    world.way.final = true;
    const after = await nextRun(await diesSending(world, false), world);
    expect(after.states()).toEqual({ 1: 'applied' });
    expect(world.letters).toHaveLength(1);
  });

  test.each<[string, () => Promise<never>]>([
    ['throws', () => Promise.reject(new Error('no line'))],
    ['answers with nothing anybody can read', async () => ({ answer: 'perhaps' }) as never],
    ['answers with evidence that cannot be kept', async () => ({ answer: 'applied', evidence: { at: 1n } }) as never],
  ])('[LC-3] a probe that %s knows nothing: in doubt', async (_, asked) => {
    const world = post({ effectClass: 'E3' });
    world.way.asked = asked;
    const after = await nextRun(await diesSending(world, true), world);
    expect(after.states()).toEqual({ 1: 'in-doubt' });
  });

  test('[EF-2] a probe that never answers holds nothing up', async () => {
    const world = post({ effectClass: 'E3' });
    const before = await diesSending(world, true);
    world.way.asked = () => new Promise(() => undefined);
    const clock = new FakeClock({ nowMs: before.clock.nowMs() + 1_000 });
    const opening = workshop({ journal: before.journal, shelf: world, clock, seed: 2 });
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
    clock.advance(10_000);
    expect((await opening).states()).toEqual({ 1: 'in-doubt' });
  });

  test('[EF-2] it is asked again, ever more rarely, until the answer is conclusive', async () => {
    const world = post({ effectClass: 'E3' });
    const after = await nextRun(await diesSending(world, false), world);
    expect(after.states()).toEqual({ 1: 'in-doubt' });
    const asked = (): number => world.way.asks;
    const atStart = asked();
    for (let minute = 0; minute < 180; minute++) {
      after.clock.advance(60_000);
      await after.settled();
    }
    expect(asked() - atStart).toBeGreaterThan(3);
    expect(asked() - atStart).toBeLessThan(12);
    world.letters.push({ key: keyOf(after), text: 'hello' });
    after.clock.advance(HOUR);
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied' });
  });
});

function keyOf({ journal }: Workshop): string {
  const rows = journal.rows(1, 1_000).filter(({ kind }) => kind === 'intent-recorded');
  // reason: the event of an intent holds it
  const event = JSON.parse(new TextDecoder().decode(rows.at(-1)?.event)) as { intent: { idempotencyKey: string } };
  return event.intent.idempotencyKey;
}

describe('a transactional effect (E0)', () => {
  const pay = async (made: Workshop, cents: number): Promise<void> => {
    const port = await made.agent();
    await port.call({ tool: 'pay', arguments: { cents }, callId: null });
  };

  test('[EF-2] is stored with its intent and its outcome in one commit, exactly once', async () => {
    const world = till();
    const made = await workshop({ shelf: world });
    await pay(made, 5);
    const commits: (readonly string[])[] = [];
    const { commit } = made.journal;
    made.journal.commit = (batch) => {
      commits.push([
        ...batch.rows.map(({ kind }) => kind),
        ...batch.puts.flatMap(({ key, table }) => (table === 'row' ? [key] : [])),
      ]);
      return commit.call(made.journal, batch);
    };
    await made.person.approve([made.idOf(1)]);
    await made.settled();
    expect(commits).toContainEqual(['intent-recorded', 'applied', 'till/sum']);
    expect(made.authority.queue({ all: true })).toMatchObject([{ state: 'applied', effectClass: 'E0' }]);
    expect(world.sum()).toBe(5);
    expect((await made.reopen()).states()).toEqual({ 1: 'applied' });
    expect(world.sum()).toBe(5);
  });

  test('[LC-3] whatever refuses has changed nothing', async () => {
    const world = till();
    const made = await workshop({ shelf: world });
    await pay(made, 5);
    world.hooks.refuse = 'The till is shut.';
    await made.person.approve([made.idOf(1)]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'failed' });
    expect(world.sum()).toBe(0);
    delete world.hooks.refuse;
    await made.person.decide({ kind: 'retry', ids: [made.idOf(1)] });
    await made.settled();
    expect(world.sum()).toBe(5);
  });

  test('[CA-3] is taken back in one commit, too', async () => {
    const world = till();
    const made = await workshop({ shelf: world });
    await pay(made, 5);
    await made.person.approve([made.idOf(1)]);
    await made.settled();
    expect((await made.authority.show(made.idOf(1))).revertable).toMatchObject({ feasible: true });
    await made.person.decide({ kind: 'revert', ids: [made.idOf(1)] });
    await made.settled();
    expect(made.states()).toEqual({ 1: 'reverted' });
    expect(world.sum()).toBe(0);
  });
});
