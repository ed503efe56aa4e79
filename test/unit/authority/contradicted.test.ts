import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/authority/ports.ts';
import type { AgentPort } from '../../../src/model/agent-port.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { post, type Post } from '../../support/post-surface.ts';
import { workshop, type Workshop } from '../../support/workshop.ts';

interface Late {
  readonly made: Workshop;
  readonly port: AgentPort;
  readonly world: Post;
  /** The first letter's call answers after all. */
  answer(outcome: Outcome): Promise<void>;
  settle(answer: 'happened' | 'did-not', seq?: number, attempt?: number): Promise<unknown>;
}

const APPLIED: Outcome = { type: 'applied', evidence: { text: 'one' }, drift: null };
const FAILED: Outcome = { type: 'failed', why: 'It never left the house.' };

/** Two letters of one lane are approved; the first hangs past its deadline and is in doubt. */
async function late(): Promise<Late> {
  const world = post({ effectClass: 'E3' });
  const made = await workshop({ shelf: world });
  const waiting: ((outcome: Outcome) => void)[] = [];
  world.way.there = (text) =>
    text === 'one' ? new Promise<Outcome>((resolve) => void waiting.push(resolve)) : Promise.resolve(undefined);
  world.way.asked = async () => ({ answer: 'unknown', why: 'The line is dead.' });
  const port = await made.agent();
  for (const text of ['one', 'two']) await port.call({ tool: 'send', arguments: { text }, callId: null });
  await made.person.approve([made.idOf(1), made.idOf(2)]);
  await made.settled();
  made.clock.advance(60_000);
  await made.settled();
  expect(made.states()).toEqual({ 1: 'in-doubt', 2: 'approved' });
  return {
    made,
    port,
    world,
    async answer(outcome) {
      waiting.shift()?.(outcome);
      await made.settled();
    },
    settle: (answer, seq = 1, attempt = 1) =>
      made.person.decide({ kind: 'settle', ids: [made.idOf(seq)], body: { answer, attempt } }),
  };
}

const rowOf = ({ authority }: Workshop, seq: number) => authority.queue({ all: true }).find((row) => row.seq === seq);
const kindsOf = ({ journal }: Workshop): readonly string[] => journal.rows(1, 1_000).map(({ kind }) => kind);

describe('late evidence', () => {
  test('[EF-4] a late answer settles what is in doubt, and the lane goes on', async () => {
    const { made, answer } = await late();
    await answer(APPLIED);
    expect(made.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect(kindsOf(made)).not.toContain('contradicted');
  });

  test('[EF-4] a late failure says that nothing happened, and the lane waits for a person', async () => {
    const { made, answer } = await late();
    await answer(FAILED);
    expect(made.states()).toEqual({ 1: 'not-applied', 2: 'approved' });
  });

  test('[EF-6] it happened, though a person said no: an alarm, and the lane waits until a person has answered it', async () => {
    const { made, answer, settle } = await late();
    await settle('did-not');
    await answer(APPLIED);
    expect(made.states()).toEqual({ 1: 'applied', 2: 'approved' });
    expect(rowOf(made, 1)).toMatchObject({ contradicted: true, why: expect.stringContaining('after all') });
    expect(made.alarms).toEqual([expect.stringMatching(/^#1: It happened after all/)]);
    expect(rowOf(made, 2)?.waitsFor).toEqual([made.idOf(1)]);
    expect(await settle('did-not'), 'what is known is not denied again').toMatchObject([{ result: 'refused' }]);
    expect(await settle('happened')).toMatchObject([{ result: 'received' }]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect(rowOf(made, 1)).toMatchObject({ contradicted: false });
  });

  test('[EF-6] a restart forgets neither the alarm nor who waits for it', async () => {
    const { made, world, answer, settle } = await late();
    await settle('did-not');
    await answer(APPLIED);
    const after = await workshop({
      journal: made.journal,
      shelf: world,
      clock: new FakeClock({ nowMs: made.clock.nowMs() }),
      seed: 2,
    });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied', 2: 'approved' });
    expect(rowOf(after, 1)).toMatchObject({ contradicted: true });
    await after.person.decide({ kind: 'revert', ids: [after.idOf(1)] });
    await after.settled();
    expect(after.states(), 'a revert answers the alarm, too').toMatchObject({ 2: 'applied' });
  });

  test('[EF-6] it did not happen, though a person said yes: the state follows, and so do the agent’s reads', async () => {
    const { made, port, answer, settle } = await late();
    await settle('happened');
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied', 2: 'applied' });
    await answer(FAILED);
    expect(made.states()).toEqual({ 1: 'not-applied', 2: 'applied' });
    expect(rowOf(made, 1)).toMatchObject({ contradicted: true, why: expect.stringContaining('did not happen') });
    expect(made.alarms).toHaveLength(1);
    const { notices } = await port.status();
    expect(notices.join('\n')).toContain('#1 "send" did not take effect after all.');
    expect(await port.call({ tool: 'send', arguments: { text: 'three' }, callId: null })).toMatchObject({ seq: 3 });
    await made.person.approve([made.idOf(3)]);
    await made.settled();
    expect(made.states(), 'its lane waits').toMatchObject({ 3: 'approved' });
  });

  test('[EF-6] it happened, though it was rejected since', async () => {
    const { made, answer, settle } = await late();
    await settle('did-not');
    await made.person.reject([made.idOf(1)]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'rejected', 2: 'applied' });
    await answer(APPLIED);
    expect(made.states()).toMatchObject({ 1: 'applied' });
    expect(rowOf(made, 1)).toMatchObject({ contradicted: true });
    await made.person.decide({ kind: 'revert', ids: [made.idOf(1)] });
    await made.settled();
  });

  test('[EF-6] a retry that has not begun does not begin when the first attempt turns out to have happened', async () => {
    const { made, world, answer, settle } = await late();
    await settle('did-not');
    const retry = { kind: 'retry', ids: [made.idOf(1)], body: { mayHappenTwice: true } } as const;
    let looked: () => void = () => undefined;
    world.way.look = () => new Promise((resolve) => void (looked = resolve));
    await made.person.decide(retry);
    await made.settled();
    expect(made.states()).toMatchObject({ 1: 'approved' });
    await answer(APPLIED);
    looked();
    await made.settled();
    expect(made.states()).toMatchObject({ 1: 'applied' });
    expect(world.letters).toEqual([]);
    expect(rowOf(made, 1)).toMatchObject({ contradicted: true });
  });

  test('[EF-6] two effects under one key are named by an entry, and the retry needed a yes of its own', async () => {
    const { made, answer, settle, world } = await late();
    await settle('did-not');
    expect(await made.person.decide({ kind: 'retry', ids: [made.idOf(1)] })).toMatchObject([
      { result: 'refused', why: expect.stringContaining('may happen twice') },
    ]);
    await made.person.decide({ kind: 'retry', ids: [made.idOf(1)], body: { mayHappenTwice: true } });
    await made.settled();
    expect(made.states(), 'the second attempt is under way').toMatchObject({ 1: 'applying' });
    await answer(APPLIED);
    expect(made.states(), 'evidence about the first waits for it').toMatchObject({ 1: 'applying' });
    expect(kindsOf(made)).not.toContain('contradicted');
    await answer({ ...APPLIED, evidence: { second: true } });
    expect(made.states()).toMatchObject({ 1: 'applied', 2: 'approved' });
    expect(kindsOf(made).filter((kind) => kind === 'contradicted')).toHaveLength(1);
    expect(rowOf(made, 1)).toMatchObject({ contradicted: true, why: expect.stringContaining('twice') });
    await settle('happened', 1, 2);
    await made.settled();
    expect(made.states()).toMatchObject({ 2: 'applied' });
    expect(world.letters).toHaveLength(1);
  });

  test('[EF-6] what a probe says later overrules a person, and agreement is no news', async () => {
    const { made, world, settle } = await late();
    await settle('did-not');
    world.way.asked = async () => ({ answer: 'not-applied', why: 'No letter.', final: true });
    made.clock.advance(60_000);
    await made.settled();
    expect(kindsOf(made)).not.toContain('contradicted');
    const other = await late();
    await other.settle('did-not');
    other.world.way.asked = async () => ({ answer: 'applied', evidence: {} });
    other.made.clock.advance(60_000);
    await other.made.settled();
    expect(other.made.states()).toEqual({ 1: 'applied', 2: 'approved' });
    expect(rowOf(other.made, 1)).toMatchObject({ contradicted: true });
  });

  test('[EF-2] a probe of what still hangs concludes only from what can no longer land', async () => {
    const { made, world } = await late();
    world.way.asked = async () => ({ answer: 'not-applied', why: 'No letter yet.' });
    made.clock.advance(60_000);
    await made.settled();
    expect(made.states()).toMatchObject({ 1: 'in-doubt' });
    world.way.asked = async () => ({ answer: 'not-applied', why: 'The post office is closed.', final: true });
    made.clock.advance(120_000);
    await made.settled();
    expect(made.states()).toMatchObject({ 1: 'not-applied' });
  });
});
