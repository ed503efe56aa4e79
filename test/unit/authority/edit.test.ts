import { describe, expect, test } from 'vitest';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import type { Surface } from '../../../src/authority/ports.ts';
import type { ItemResult } from '../../../src/model/event.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { addRule, named } from '../../support/rule-wish.ts';
import { get, put, workshop, type Workshop } from '../../support/workshop.ts';

const edit = (room: Workshop, seq: number, text: string, name = 'a'): Promise<readonly ItemResult[]> =>
  room.person.decide({ kind: 'edit', ids: [room.idOf(seq)], body: { arguments: { name, text } } });

const rowOf = (room: Workshop, seq: number) => room.authority.queue({ all: true }).find((row) => row.seq === seq);

/** The shelf with a `describe` of `put` that is asked first. */
function guarded(world: Workshop['shelf'], before: (text: string) => Promise<void>): Workshop['shelf'] {
  const surfaces = world.pack.surfaces.map((each) => {
    if (each.tool.name !== 'put') return each;
    // reason: the surface's own arguments, which its `parse` made
    const own = each as unknown as Surface<{ name: string; text: string }>;
    const describeAfter: typeof own.describe = async (args, overlay) => {
      await before(args.text);
      return own.describe(args, overlay);
    };
    return { ...own, describe: describeAfter } as unknown as Surface;
  });
  return { ...world, pack: { ...world.pack, surfaces } };
}

describe('a person corrects what the agent asked for', () => {
  test('[LC-6] the agent’s version ends as user-edited, and the person’s stands in its place and is asked for', async () => {
    const room = await workshop();
    const port = await room.agent();
    await put(port, 'z', 'before');
    await put(port, 'a', 'one');
    await put(port, 'b', 'after');
    expect(await edit(room, 2, 'mine')).toEqual([{ id: room.idOf(2), result: 'received', why: null }]);
    expect(room.states()).toEqual({ 1: 'pending', 2: 'rejected', 3: 'pending', 4: 'pending' });
    expect(rowOf(room, 2)).toMatchObject({ why: 'Your own version stays.' });
    expect(rowOf(room, 4)).toMatchObject({ why: 'this program made this in place of #2.', title: 'Put a' });
    const [old, anew] = await Promise.all([2, 4].map((seq) => room.authority.show(room.idOf(seq))));
    expect(anew?.action).toMatchObject({
      place: old?.action.place,
      replaces: { id: room.idOf(2), device: room.person.id },
      content: { arguments: { name: 'a', text: 'mine' } },
    });
    expect(anew?.action.digest).not.toBe(old?.action.digest);
    const shown = await get(port, 'a');
    expect(shown.text, 'what the agent sees').toBe('mine');
    expect(shown.notices).toEqual([
      expect.stringContaining('#4 stands in its place: your call as a person has corrected it'),
    ]);
    expect((await get(port, 'a')).notices).toEqual([]);
    await room.person.approve([1, 3, 4].map((seq) => room.idOf(seq)));
    await room.settled();
    expect(room.shelf.effects, 'in the place of the old one').toEqual(['z=before', 'a=mine', 'b=after']);
  });

  test('[DR-2] no rule approves a person’s own version: neither one that stands nor one that comes after it', async () => {
    const room = await workshop();
    const port = await room.agent();
    await put(port, 'z', 'before');
    await addRule(room, { where: [named('a')] });
    expect(await put(port, 'a', 'one')).toMatchObject({ state: 'approved' });
    await edit(room, 2, 'mine');
    expect(room.states()).toEqual({ 1: 'pending', 2: 'rejected', 3: 'pending' });
    expect(rowOf(room, 3)?.verdict, 'every list says so').toMatchObject({ autoApprovable: false });
    await addRule(room);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'rejected', 3: 'pending' });
    expect(room.shelf.effects).toEqual(['z=before']);
    await room.person.approve([room.idOf(3)]);
    await room.settled();
    expect(room.shelf.effects).toEqual(['z=before', 'a=mine']);
  });

  test('[LC-6] nothing of it is applied before the person has seen what comes of it', async () => {
    const room = await workshop();
    await put(await room.agent(), 'a', 'one');
    await edit(room, 1, 'mine');
    await room.settled();
    expect([room.states(), room.shelf.effects]).toEqual([{ 1: 'rejected', 2: 'pending' }, []]);
  });

  test('[LC-6] from the moment it is decided the old version does not begin, approved or not', async () => {
    let open: () => void = () => undefined;
    const world = guarded(shelf(), (text) =>
      text === 'mine' ? new Promise((resolve) => (open = resolve)) : Promise.resolve(),
    );
    const room = await workshop({ shelf: world });
    const port = await room.agent();
    await put(port, 'z', 'first');
    await put(port, 'a', 'one');
    await room.person.approve([room.idOf(2)]);
    const edited = edit(room, 2, 'mine');
    await room.settled();
    await room.person.approve([room.idOf(1)]);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(rowOf(room, 2)?.attention).toMatchObject({ kind: 'stale', why: 'It is being edited.' });
    open();
    await edited;
    expect(room.states()).toEqual({ 1: 'applied', 2: 'rejected', 3: 'pending' });
    expect(room.shelf.effects).toEqual(['z=first']);
  });

  test('[LC-6] a crash before it is made forgets nothing: it is made at the next start', async () => {
    const plain = shelf();
    const world = guarded(plain, (text) => (text === 'mine' ? new Promise(() => undefined) : Promise.resolve()));
    const before = await workshop({ shelf: world });
    await put(await before.agent('one'), 'a', 'one');
    void edit(before, 1, 'mine');
    await before.settled();
    const after = await workshop({ journal: before.journal, shelf: plain, clock: before.clock, seed: 2 });
    expect(after.states()).toEqual({ 1: 'rejected', 2: 'pending' });
    expect((await get(await after.agent('one'), 'a')).text).toBe('mine');
  });

  test('[CA-1] what needs the old version falls with it, and the agent is told of both at once', async () => {
    const room = await workshop();
    const port = await room.agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await edit(room, 1, 'mine');
    expect(room.states()).toEqual({ 1: 'rejected', 2: 'rejected', 3: 'pending' });
    expect((await get(port, 'a')).notices).toEqual([expect.stringMatching(/#3 stands in its place.*fell.*#2/su)]);
  });

  test('[LC-6] arguments that the tool refuses change nothing', async () => {
    const room = await workshop();
    await put(await room.agent(), 'a', 'one');
    const wrong = await room.person.decide({ kind: 'edit', ids: [room.idOf(1)], body: { arguments: { name: 'a' } } });
    expect(wrong).toEqual([{ id: room.idOf(1), result: 'refused', why: 'text: expected a string.' }]);
    expect([room.states(), rowOf(room, 1)?.attention]).toEqual([{ 1: 'pending' }, null]);
  });

  test('[LC-6] an edit that the world does not take leaves the agent’s version, asked again with the reason', async () => {
    const world = guarded(shelf(), async (text) => {
      if (text === 'mine') throw new CountersignError('denied', 'This note may not be changed.');
    });
    const room = await workshop({ shelf: world });
    await put(await room.agent(), 'a', 'one');
    await edit(room, 1, 'mine');
    expect(room.states()).toEqual({ 1: 'pending' });
    expect(rowOf(room, 1)?.attention).toMatchObject({
      kind: 'stale',
      why: 'Your edit could not be made: This note may not be changed.',
    });
    expect(room.alarms).toEqual([]);
  });

  test('[LC-6] what the person wants is there already: the agent’s version ends, and nothing is asked', async () => {
    const room = await workshop();
    room.shelf.notes.set('a', 'kept');
    await put(await room.agent(), 'a', 'one');
    await edit(room, 1, 'kept');
    expect(room.states()).toEqual({ 1: 'rejected' });
  });

  test('[LC-6] only what has not begun can be edited', async () => {
    const room = await workshop();
    await put(await room.agent(), 'a', 'one');
    await room.person.approve([room.idOf(1)]);
    await room.settled();
    expect(await edit(room, 1, 'mine')).toEqual([
      { id: room.idOf(1), result: 'refused', why: '#1 is applied: only what has not begun can be edited.' },
    ]);
  });

  test('[LC-4] the log says who made it, and in place of what', async () => {
    const room = await workshop();
    await put(await room.agent(), 'a', 'one');
    await edit(room, 1, 'mine');
    const rows = room.journal.rows(1, 1_000).filter(({ kind }) => kind === 'proposed');
    expect(parseCanonical(rows[1]?.audit ?? new Uint8Array())).toMatchObject({
      by: { type: 'device', device: room.person.id },
      why: `in place of ${room.idOf(1)}`,
    });
  });

  test('[LC-6] [CP-3] an edit that nobody answers leaves the agent’s version in time, and its decision is answered', async () => {
    const { agent, person, settled, shelf: world, states, idOf, clock, authority } = await workshop();
    await put(await agent(), 'a', 'one');
    world.hooks.before = () => new Promise(() => undefined);
    const body = { arguments: { name: 'a', text: 'two' } };
    const answered = person.decide({ kind: 'edit', ids: [idOf(1)], body });
    await settled();
    clock.advance(60_000);
    expect(await answered).toMatchObject([{ result: 'received' }]);
    expect(states()).toEqual({ 1: 'pending' });
    expect(authority.queue({ all: false })[0]?.attention?.why).toContain('did not answer');
  });

  test('[LC-6] [DC-6] a tool that breaks on the arguments refuses them, and the decision is answered', async () => {
    const { agent, person, shelf: world, states, idOf } = await workshop();
    await put(await agent(), 'a', 'one');
    const [surface] = world.pack.surfaces;
    const parse = (): never => {
      throw new TypeError('name is no string');
    };
    Object.assign(surface?.tool ?? {}, { parse });
    const body = { arguments: { name: 1 } };
    const refused = [{ result: 'refused', why: 'name is no string' }];
    expect(await person.decide({ kind: 'edit', ids: [idOf(1)], body })).toMatchObject(refused);
    expect(states()).toEqual({ 1: 'pending' });
  });
});
