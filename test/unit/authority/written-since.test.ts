import { describe, expect, test } from 'vitest';
import type { ActionState } from '../../../src/model/action.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const LOST = { type: 'in-doubt', why: 'The answer was lost.' } as const;

/** As long as anybody asks the world again. */
async function wait({ clock, settled }: Workshop): Promise<void> {
  for (let hour = 0; hour < 24; hour++) {
    clock.advance(3_600_000);
    await settled();
  }
}

/** Another session's agent writes it, and a person approves that. */
async function anotherWrites(made: Workshop, text: string, seq: number): Promise<void> {
  await put(await made.agent('another'), 'a', text);
  await made.person.approve([made.idOf(seq)]);
  await made.settled();
}

/** What was written is taken back, and nobody hears that it worked. */
async function revertIsLost(): Promise<Workshop> {
  const made = await workshop({ journal: lastingJournal() });
  await put(await made.agent(), 'a', 'one');
  await made.person.approve([made.idOf(1)]);
  await made.settled();
  made.shelf.hooks.beforeRevert = async (name) => {
    made.shelf.notes.delete(name);
    return LOST;
  };
  await made.person.decide({ kind: 'revert', ids: [made.idOf(1)] });
  await made.settled();
  expect(made.states()).toEqual({ 1: 'revert-in-doubt' });
  return made;
}

/** An effect of which nobody heard whether it happened: it did not, and a person says so. */
async function effectIsLost(): Promise<Workshop> {
  const made = await workshop();
  made.shelf.hooks.beforeApply = async () => LOST;
  await put(await made.agent(), 'a', 'one');
  await made.person.approve([made.idOf(1)]);
  await made.settled();
  delete made.shelf.hooks.beforeApply;
  expect(made.states()).toEqual({ 1: 'in-doubt' });
  return made;
}

describe('what another action has written since', () => {
  test.each(['goes on', 'starts again'])(
    '[EF-2] [LC-3] does not say that a revert in doubt did not happen (the process %s)',
    async (way) => {
      const before = await revertIsLost();
      await anotherWrites(before, 'one', 2);
      if (way === 'starts again') await before.authority.stop();
      const made = way === 'goes on' ? before : await before.reopen();
      await wait(made);
      expect(made.states()).toEqual({ 1: 'revert-in-doubt', 2: 'applied' });
      await made.person.decide({ kind: 'settle', ids: [made.idOf(1)], body: { answer: 'happened', attempt: 1 } });
      expect(made.states()).toEqual({ 1: 'reverted', 2: 'applied' });
    },
  );

  test('[EF-2] [LC-3] does not say that an effect in doubt happened', async () => {
    const made = await effectIsLost();
    await anotherWrites(made, 'one', 2);
    await wait(made);
    expect(made.states()).toEqual({ 1: 'in-doubt', 2: 'applied' });
  });

  test('[EF-6] does not contradict a person who said that it did not happen', async () => {
    const made = await effectIsLost();
    await made.person.decide({ kind: 'settle', ids: [made.idOf(1)], body: { answer: 'did-not', attempt: 1 } });
    await made.person.reject([made.idOf(1)]);
    await anotherWrites(made, 'one', 2);
    await wait(made);
    expect({ states: made.states(), alarms: made.alarms }).toEqual({
      states: { 1: 'rejected', 2: 'applied' },
      alarms: [],
    });
  });

  test.each([
    ['in another place', 'b', 'one', 'not-applied'],
    ['and could not', 'a', 'two', 'not-applied'],
  ] as const)('[EF-2] leaves the doubt to the world: %s', async (_, name, text, state: ActionState) => {
    const made = await effectIsLost();
    if (name === 'a') made.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'It is read-only.' });
    await put(await made.agent('another'), name, text);
    await made.person.approve([made.idOf(2)]);
    await made.settled();
    await wait(made);
    expect(made.states()).toMatchObject({ 1: state });
  });
});
