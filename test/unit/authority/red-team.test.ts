import { describe, expect, test } from 'vitest';
import type { Journal, Surface } from '../../../src/authority/ports.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { get, put, workshop, type Workshop } from '../../support/workshop.ts';

/** Changes the shelf's `put` in place. */
function alter({ shelf }: Workshop, change: (surface: Surface) => Partial<Surface>): void {
  const [surface] = shelf.pack.surfaces;
  if (surface === undefined) throw new Error('the shelf has a surface');
  Object.assign(surface, change(surface));
}

/** A gate that a test opens. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

describe('what a hostile review found', () => {
  test('[EF-3] a new fence asks for everything undecided again', async () => {
    const before = await workshop();
    const port = await before.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await before.person.approve([before.idOf(2)]);
    const after = await workshop({ journal: before.journal, shelf: before.shelf, seed: 2, fence: 2 });
    expect(after.states()).toEqual({ 1: 'pending', 2: 'pending' });
    expect((await after.authority.show(after.idOf(2))).row.attention).toMatchObject({ kind: 'stale' });
    const again = await workshop({ journal: before.journal, shelf: before.shelf, seed: 3, fence: 2 });
    await again.person.approve([again.idOf(1), again.idOf(2)]);
    await again.settled();
    expect(again.states(), 'a restart under the same fence asks for nothing').toEqual({ 1: 'applied', 2: 'applied' });
  });

  test('[EF-3] a new fence asks for what is void again, too', async () => {
    const journal = lastingJournal();
    const before = await workshop({ journal });
    await put(await before.agent(), 'a', 'one');
    before.shelf.hooks.beforeApply = () => new Promise(() => undefined);
    await before.person.approve([before.idOf(1)]);
    await before.settled();
    expect(before.states()).toEqual({ 1: 'applying' });
    const intent = journal.rows(1, 1000).find(({ kind }) => kind === 'intent-recorded');
    const crashed: Journal = { ...journal, health: { state: 'ahead', witnessed: (intent?.seq ?? 0) - 1 } };
    const after = await workshop({ journal: crashed, seed: 2, fence: 2 });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'pending' });
    expect(after.shelf.effects).toEqual([]);
  });

  test('[DR-6] an approval of a device that was frozen meanwhile is withdrawn, not applied', async () => {
    const made = await workshop();
    const twin = await workshop();
    for (const each of [made, twin]) {
      const port = await each.agent();
      await put(port, 'a', 'one');
      await put(port, 'b', 'two');
    }
    const [first, second] = [made, twin].map((each, at) =>
      each.person.signed({ kind: 'approve', ids: [each.idOf(2)], body: { mode: at === 0 ? 'rest' : 'all-or-none' } }),
    );
    if (first === undefined || second === undefined) throw new Error('two decisions');
    await made.authority.decide([first]);
    await made.authority.decide([second]);
    const port = await made.agent();
    await port.withdraw([made.idOf(1)]);
    await made.settled();
    expect(made.states()[2]).toBe('pending');
    expect(made.shelf.effects).toEqual([]);
  });

  test('[LC-5] a conflict is left also when the world is again what it was', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    await put(await agent(), 'a', 'one');
    shelf.notes.set('a', 'theirs');
    await person.approve([idOf(1)]);
    await settled();
    shelf.notes.delete('a');
    await person.decide({ kind: 'reissue', ids: [idOf(1)], body: { mode: 'theirs' } });
    await settled();
    await person.approve([idOf(1)]);
    await settled();
    expect(states()).toEqual({ 1: 'applied' });
  });

  test('[CA-1] what was being described while its need was rejected does not stand on it', async () => {
    const made = await workshop();
    const { agent, person, authority, states, idOf } = made;
    const port = await agent();
    await put(port, 'a', 'one');
    const { passed, open } = gate();
    const began = gate();
    alter(made, ({ describe: original }) => ({
      describe: async (args: never, overlay) => {
        const described = await original(args, overlay);
        began.open();
        await passed;
        return described;
      },
    }));
    const writing = put(port, 'a', 'two');
    await began.passed;
    await person.reject([idOf(1)]);
    open();
    await writing;
    expect(states()).toEqual({ 1: 'rejected', 2: 'pending' });
    expect(authority.queue({ all: false })[0]).toMatchObject({ needs: [] });
    expect((await authority.show(idOf(2))).action.content.effect).toMatchObject({ before: null });
  });

  test('[CA-1] nothing is taken back from under what is in doubt, and that falls once it is known not to have happened', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await person.approve([idOf(1)]);
    await settled();
    shelf.hooks.beforeApply = () => Promise.reject(new Error('lost'));
    await person.approve([idOf(2)]);
    await settled();
    expect(await person.decide({ kind: 'revert', ids: [idOf(1)] })).toMatchObject([
      { result: 'refused', why: '#1 cannot be reverted now: #2, which needs it, is in-doubt.' },
    ]);
    await person.decide({ kind: 'settle', ids: [idOf(2)], body: { answer: 'did-not', attempt: 1 } });
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect(states()).toEqual({ 1: 'reverted', 2: 'rejected' });
  });

  test('[LC-3] a surface that throws at once, or looks in vain, is met like one that fails', async () => {
    const made = await workshop();
    const { agent, person, settled, states, idOf } = made;
    const port = await agent('one');
    const other = await agent('two');
    await put(port, 'a', 'one');
    await put(other, 'b', 'two');
    alter(made, () => ({
      apply: () => {
        throw new Error('at once');
      },
    }));
    await person.approve([idOf(1)]);
    await settled();
    expect(states()[1]).toBe('in-doubt');
    alter(made, () => ({ look: () => Promise.reject(new Error('cannot look')) }));
    await person.approve([idOf(2)]);
    await settled();
    expect(states()[2]).toBe('pending');
  });

  test('[EF-2] an answer that cannot be written down is in doubt, not lost', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    await put(await agent(), 'a', 'one');
    shelf.hooks.beforeApply = async () => ({ type: 'applied', evidence: { at: Number.NaN }, drift: null });
    await person.approve([idOf(1)]);
    await settled();
    expect(states()).toEqual({ 1: 'in-doubt' });
  });

  test('[CP-2] a call id that is used again for another call is another call', async () => {
    const { agent, states } = await workshop();
    const port = await agent();
    expect(await put(port, 'a', 'one', 'c1')).toMatchObject({ seq: 1 });
    expect(await put(port, 'b', 'two', 'c1')).toMatchObject({ seq: 2 });
    expect(await put(port, 'a', 'one', 'c1')).toMatchObject({ seq: 1 });
    expect(states()).toEqual({ 1: 'pending', 2: 'pending' });
  });

  test('[CA-3] a revert that was receipted is carried out after a crash', async () => {
    const before = await workshop();
    await put(await before.agent(), 'a', 'one');
    await before.person.approve([before.idOf(1)]);
    await before.settled();
    alter(before, () => ({ revert: () => new Promise(() => undefined) }));
    await before.person.decide({ kind: 'revert', ids: [before.idOf(1)] });
    await before.settled();
    expect(before.states()).toEqual({ 1: 'reverting' });
    alter(before, () => ({
      revert: async () => {
        before.shelf.notes.delete('a');
        return { type: 'reverted' };
      },
    }));
    const after = await before.reopen();
    expect(after.states()).toEqual({ 1: 'reverted' });
    expect(after.shelf.notes.size).toBe(0);
  });

  test('[EF-4] a revert that answers after its deadline settles itself', async () => {
    const made = await workshop();
    const { agent, person, settled, states, idOf, clock } = made;
    await put(await agent(), 'a', 'one');
    await person.approve([idOf(1)]);
    await settled();
    const { passed, open } = gate();
    alter(made, () => ({ revert: async () => passed.then(() => ({ type: 'reverted' }) as const) }));
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    clock.advance(60_000);
    await settled();
    expect(states()).toEqual({ 1: 'revert-in-doubt' });
    open();
    await settled();
    expect(states()).toEqual({ 1: 'reverted' });
  });

  test('[GM-2] the second of two sessions that make the same thing meets a conflict, and both cards say so before', async () => {
    const { agent, person, settled, authority, states, idOf } = await workshop();
    await put(await agent('one'), 'a', 'mine');
    await put(await agent('two'), 'a', 'yours');
    expect(authority.queue({ all: false }).map(({ why }) => why)).toEqual([
      'Another session has pending work on this too: #2.',
      'Another session has pending work on this too: #1.',
    ]);
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect((await authority.show(idOf(2))).row.attention).toMatchObject({ kind: 'conflict' });
  });

  test('[SM-7] what was made after reading an applied action is badged when that is reverted', async () => {
    const { agent, person, settled, authority, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await get(port, 'a');
    await put(port, 'b', 'two');
    await person.approve([idOf(1)]);
    await settled();
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect((await authority.show(idOf(2))).row.attention).toMatchObject({ kind: 'premise-withdrawn' });
    expect((await get(port, 'c')).notices[0]).toContain('Restart: you were shown #1.');
  });
});
