import { describe, expect, test } from 'vitest';
import type { Journal, Outcome, Probed } from '../../../src/authority/ports.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { post, type Post } from '../../support/post-surface.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { workshop, type Workshop } from '../../support/workshop.ts';

const TICK = { mayHappenTwice: true } as const;
const APPLIED: Outcome = { type: 'applied', evidence: { text: 'one' }, drift: null };
const UNKNOWN: Probed = { answer: 'unknown', why: 'The line is dead.' };

interface Late {
  readonly made: Workshop;
  readonly world: Post;
  readonly journal: Journal;
  /** The oldest call that hangs answers. */
  answer(outcome: Outcome): Promise<void>;
  settle(answer: 'happened' | 'did-not'): Promise<unknown>;
  /** The process ends without a word and begins again. */
  crashed(): Promise<Workshop>;
}

const rowOf = ({ authority }: Workshop) => authority.queue({ all: true })[0];
const kindsOf = ({ journal }: Late): readonly string[] => journal.rows(1, 1_000).map(({ kind }) => kind);

/** A letter that hangs past its deadline and is in doubt. */
async function late(): Promise<Late> {
  const journal = lastingJournal();
  const world = post({ effectClass: 'E3' });
  const made = await workshop({ shelf: world, journal });
  const waiting: ((outcome: Outcome) => void)[] = [];
  world.way.there = () => new Promise<Outcome>((resolve) => void waiting.push(resolve));
  world.way.asked = async () => UNKNOWN;
  await (await made.agent()).call({ tool: 'send', arguments: { text: 'one' }, callId: null });
  await made.person.approve([made.idOf(1)]);
  await made.settled();
  made.clock.advance(60_000);
  await made.settled();
  expect(made.states()).toEqual({ 1: 'in-doubt' });
  let seed = 1;
  return {
    made,
    world,
    journal,
    async answer(outcome) {
      waiting.shift()?.(outcome);
      await made.settled();
    },
    settle: (answer) => made.person.decide({ kind: 'settle', ids: [made.idOf(1)], body: { answer, attempt: 1 } }),
    async crashed() {
      const clock = new FakeClock({ nowMs: made.clock.nowMs() });
      const after = await workshop({ journal, shelf: world, clock, seed: ++seed });
      await after.settled();
      clock.advance(1);
      await after.settled();
      return after;
    },
  };
}

/** A person has given the first attempt up for lost, and the second one is under way. */
async function secondAttempt(): Promise<Late> {
  const lab = await late();
  await lab.settle('did-not');
  await lab.made.person.decide({ kind: 'retry', ids: [lab.made.idOf(1)], body: TICK });
  await lab.made.settled();
  expect(lab.made.states()).toEqual({ 1: 'applying' });
  return lab;
}

describe('what is heard of one attempt while another is under way', () => {
  test.each<readonly [string, Probed]>([
    ['nobody can say', UNKNOWN],
    ['its effect is found', { answer: 'applied', evidence: {} }],
    ['nothing is found', { answer: 'not-applied', why: 'No letter.', final: true }],
  ])('[EF-6] outlives a crash, and nothing is sent again; of the second, %s', async (_, asked) => {
    const lab = await secondAttempt();
    await lab.answer(APPLIED);
    expect(lab.made.states(), 'it waits for the second').toEqual({ 1: 'applying' });
    lab.world.way.asked = async () => asked;
    const calls: string[] = [];
    lab.world.way.there = async (text) => {
      calls.push(text);
      return undefined;
    };
    const after = await lab.crashed();
    expect(after.states()).toEqual({ 1: 'applied' });
    expect(rowOf(after)).toMatchObject({ contradicted: true, why: expect.stringContaining('It happened after all') });
    expect(after.alarms).toEqual([expect.stringMatching(/^#1: It happened after all/)]);
    expect(kindsOf(lab).filter((kind) => kind === 'contradicted')).toHaveLength(1);
    expect(calls).toEqual([]);
    const again = await lab.crashed();
    expect(again.alarms, 'it is said once').toEqual([]);
    expect(lab.journal.liveRecords('meta').filter(({ key }) => key.startsWith('heard/'))).toEqual([]);
  });

  test('[EF-6] that an attempt failed is no news after that, and waits no longer', async () => {
    const lab = await secondAttempt();
    await lab.answer({ type: 'failed', why: 'It never left the house.' });
    lab.world.way.asked = async () => ({ answer: 'applied', evidence: {} });
    const after = await lab.crashed();
    expect(after.states()).toEqual({ 1: 'applied' });
    expect(rowOf(after)).toMatchObject({ contradicted: false });
  });
});

describe('what is over by a person’s word alone', () => {
  test('[EF-6] is asked about at the next start: it did not happen, though a person said so', async () => {
    const lab = await late();
    await lab.settle('happened');
    lab.world.way.asked = async () => ({ answer: 'not-applied', why: 'No letter.', final: true });
    const after = await lab.crashed();
    expect(after.states()).toEqual({ 1: 'not-applied' });
    expect(rowOf(after)).toMatchObject({ contradicted: true });
    expect(after.alarms).toHaveLength(1);
  });

  test('[EF-6] is asked about at the next start: it happened, though a person said no and rejected it', async () => {
    const lab = await late();
    await lab.settle('did-not');
    await lab.made.person.reject([lab.made.idOf(1)]);
    lab.world.way.asked = async () => ({ answer: 'applied', evidence: {} });
    const after = await lab.crashed();
    expect(after.states()).toEqual({ 1: 'applied' });
    expect(rowOf(after)).toMatchObject({ contradicted: true });
  });

  test('[EF-6] is asked about once a start, until the world has an answer', async () => {
    const lab = await late();
    await lab.settle('happened');
    let asks = 0;
    lab.world.way.asked = async () => {
      asks += 1;
      return UNKNOWN;
    };
    const dead = await lab.crashed();
    dead.clock.advance(24 * 3_600_000);
    await dead.settled();
    expect(asks).toBe(1);
    lab.world.way.asked = async () => {
      asks += 1;
      return { answer: 'applied', evidence: {} };
    };
    const after = await lab.crashed();
    expect([asks, after.states()]).toEqual([2, { 1: 'applied' }]);
    expect(after.alarms).toEqual([]);
    await after.person.decide({ kind: 'pause', ids: [] });
    await lab.crashed();
    expect(asks, 'the world has said it').toBe(2);
  });

  test('[EF-6] is asked about when its tool is back, after a start that had no such tool', async () => {
    const lab = await late();
    await lab.settle('happened');
    const clock = new FakeClock({ nowMs: lab.made.clock.nowMs() });
    const without = await workshop({ journal: lab.journal, shelf: shelf(), clock, seed: 99 });
    await without.person.decide({ kind: 'pause', ids: [] });
    await without.settled();
    lab.world.way.asked = async () => ({ answer: 'not-applied', why: 'No letter.', final: true });
    const after = await lab.crashed();
    expect(after.states()).toEqual({ 1: 'not-applied' });
    expect(rowOf(after)).toMatchObject({ contradicted: true });
  });
});
