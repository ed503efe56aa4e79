import { describe, expect, test } from 'vitest';
import type { Journal, Outcome, Surface } from '../../../src/authority/ports.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { post } from '../../support/post-surface.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { put, workshop } from '../../support/workshop.ts';

/** A letter that a person has given up for lost and tries again, while the workspace is paused and the first try still hangs. */
async function triedAgain() {
  const world = post({ effectClass: 'E3' });
  const made = await workshop({ shelf: world });
  let answer: (outcome: Outcome) => void = () => undefined;
  world.way.there = () => new Promise<Outcome>((resolve) => (answer = resolve));
  world.way.asked = async () => ({ answer: 'unknown', why: 'The line is dead.' });
  await (await made.agent()).call({ tool: 'send', arguments: { text: 'one' }, callId: null });
  const ids = [made.idOf(1)];
  await made.person.approve(ids);
  await made.settled();
  made.clock.advance(60_000);
  await made.settled();
  await made.person.decide({ kind: 'settle', ids, body: { answer: 'did-not', attempt: 1 } });
  await made.person.decide({ kind: 'pause', ids: [] });
  await made.person.decide({ kind: 'retry', ids, body: { mayHappenTwice: true } });
  expect(made.states()).toEqual({ 1: 'approved' });
  const arrives = async (): Promise<void> => {
    answer({ type: 'applied', evidence: { text: 'one' }, drift: null });
    await made.settled();
  };
  return { made, ids, arrives };
}

describe('what a hostile review found of what comes late', () => {
  test('[CA-1] [EF-2] a person’s word that a revert happened takes down what waits to stand on it', async () => {
    const { agent, person, settled, shelf: world, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await person.approve([idOf(1)]);
    await settled();
    world.hooks.beforeRevert = async () => ({ type: 'in-doubt', why: 'The line is dead.' });
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect(states()).toEqual({ 1: 'revert-in-doubt', 2: 'pending' });
    await person.decide({ kind: 'settle', ids: [idOf(1)], body: { answer: 'happened', attempt: 1 } });
    expect(states()).toEqual({ 1: 'reverted', 2: 'rejected' });
  });

  test.each(['reject', 'hold', 'withdraw'] as const)(
    '[EF-6] it happened after all, whatever was done since it was tried again: %s',
    async (since) => {
      const { made, ids, arrives } = await triedAgain();
      if (since === 'withdraw') await (await made.agent()).withdraw(ids);
      else await made.person.decide({ kind: since, ids });
      await arrives();
      expect(made.states()).toEqual({ 1: 'applied' });
      expect(made.alarms).toEqual([expect.stringMatching(/^#1: It happened after all/)]);
    },
  );

  test('[EF-6] it happened after all, and a person’s own version stands in its place: both keep their order', async () => {
    const { made, ids, arrives } = await triedAgain();
    await made.person.decide({ kind: 'edit', ids, body: { arguments: { text: 'two' } } });
    await arrives();
    const after = await made.reopen();
    expect(after.states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(after.authority.queue({ all: false }).find(({ seq }) => seq === 2)?.waitsFor).toEqual(ids);
    await after.person.reject([after.idOf(2)]);
    await after.person.decide({ kind: 'settle', ids, body: { answer: 'happened', attempt: 1 } });
    expect(after.authority.queue({ all: false })).toEqual([]);
  });

  test('[EF-6] an effect that is found is that of the attempt which is applied, and no second one', async () => {
    const world = post({ effectClass: 'E3' });
    const { agent, person, settled, states, idOf, alarms, clock } = await workshop({ shelf: world });
    world.way.there = async () => ({ type: 'in-doubt', why: 'The line is dead.' });
    await (await agent()).call({ tool: 'send', arguments: { text: 'one' }, callId: null });
    await person.approve([idOf(1)]);
    await settled();
    await person.decide({ kind: 'settle', ids: [idOf(1)], body: { answer: 'did-not', attempt: 1 } });
    delete world.way.there;
    await person.decide({ kind: 'retry', ids: [idOf(1)], body: { mayHappenTwice: true } });
    for (let hour = 0; hour < 24; hour++) {
      clock.advance(3_600_000);
      await settled();
    }
    expect(world.letters).toHaveLength(1);
    expect(states()).toEqual({ 1: 'applied' });
    expect(alarms).toEqual([]);
  });

  test('[LC-2] [DC-3] a no that came too late for an attempt which a crash made void came in time', async () => {
    const journal = lastingJournal();
    const before = await workshop({ journal });
    const port = await before.agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    before.shelf.hooks.beforeApply = () => new Promise(() => undefined);
    await before.person.approve([before.idOf(1), before.idOf(2)]);
    await before.settled();
    expect(await before.person.reject([before.idOf(1)], 'Not this.')).toMatchObject([{ result: 'late' }]);
    const intent = journal.rows(1, 1_000).find(({ kind }) => kind === 'intent-recorded');
    const crashed: Journal = { ...journal, health: { state: 'ahead', witnessed: (intent?.seq ?? 0) - 1 } };
    const after = await workshop({ journal: crashed, shelf: shelf(), seed: 2 });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'rejected', 2: 'rejected' });
    expect(after.shelf.effects).toEqual([]);
    expect((await put(await after.agent(), 'b', 'x')).notices.join()).toContain('Not this.');
  });

  test('[DR-9] a hold that cannot park all that stands on it is refused, and not received for nothing', async () => {
    const world = post({ effectClass: 'E3' });
    const [surface] = world.pack.surfaces;
    const simulate: NonNullable<Surface['simulate']> = async (_, overlay) => {
      overlay.put('letter:two', { text: 'each stands on the one before' });
      return { content: [] };
    };
    Object.assign(surface ?? {}, { simulate });
    const { agent, person, settled, states, idOf, clock } = await workshop({ shelf: world });
    world.way.there = async () => ({ type: 'in-doubt', why: 'The line is dead.' });
    world.way.asked = async () => ({ answer: 'unknown', why: 'The line is dead.' });
    const port = await agent();
    for (const text of ['one', 'two']) await port.call({ tool: 'send', arguments: { text }, callId: null });
    const ids = [idOf(1)];
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    await person.decide({ kind: 'settle', ids, body: { answer: 'happened', attempt: 1 } });
    await settled();
    world.way.asked = async () => ({ answer: 'not-applied', why: 'There is no such letter.', final: true });
    for (let asked = 0; asked < 4; asked++) {
      clock.advance(60_000);
      await settled();
    }
    expect(states()).toEqual({ 1: 'not-applied', 2: 'not-applied' });
    await person.decide({ kind: 'pause', ids: [] });
    await person.decide({ kind: 'retry', ids });
    expect(await person.decide({ kind: 'hold', ids })).toMatchObject([
      { result: 'refused', why: '#2 needs #1 and is not-applied; settle #2 first.' },
    ]);
    await person.reject([idOf(2)]);
    await person.decide({ kind: 'hold', ids });
    expect(states()).toEqual({ 1: 'held', 2: 'rejected' });
  });
});
