import { describe, expect, test } from 'vitest';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import type { Surface } from '../../../src/authority/ports.ts';
import type { JournalEvent } from '../../../src/model/event.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { get, put, workshop, type Workshop } from '../../support/workshop.ts';

function eventsOf({ journal }: Workshop): readonly JournalEvent[] {
  return journal.rows(1, 10_000).map((row) => parseCanonical(row.event) as unknown as JournalEvent);
}

/** The shelf with its `put` changed in one way. */
function altered(
  kept: Workshop['shelf'],
  change: Partial<Surface>,
  without: readonly string[] = [],
): Workshop['shelf'] {
  const surfaces = kept.pack.surfaces.map((each) => {
    if (each.tool.name !== 'put') return each;
    return Object.fromEntries(
      Object.entries({ ...each, ...change }).filter(([key]) => !without.includes(key)),
    ) as unknown as Surface;
  });
  return { ...kept, pack: { ...kept.pack, surfaces } };
}

describe('safety', () => {
  test('[DC-9] time, silence and a lost connection decide nothing', async () => {
    const { agent, clock, settled, states } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await port.close();
    clock.advance(400 * 24 * 3600 * 1000);
    await settled();
    expect(states()).toEqual({ 1: 'pending' });
  });

  test('[SM-10] two root sessions do not see each other’s pending work, and the second write meets the first', async () => {
    const { agent, person, settled, states, idOf, shelf: world } = await workshop();
    const mine = await agent('mine');
    const other = await agent('other');
    await put(mine, 'a', 'mine');
    await put(other, 'a', 'other');
    expect([(await get(mine, 'a')).text, (await get(other, 'a')).text]).toEqual(['mine', 'other']);
    await person.approve([idOf(1)]);
    await settled();
    expect((await get(other, 'a')).text, 'an applied action is part of the world, under the pending one').toBe('other');
    await person.approve([idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(world.notes.get('a')).toBe('mine');
  });

  test('[DR-6] a tool that is another one by now is looked at again instead of applied', async () => {
    const before = await workshop();
    const port = await before.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await before.person.approve([before.idOf(2)]);
    const tool = before.shelf.pack.surfaces[0]?.tool;
    if (tool === undefined) throw new Error('the shelf has a tool');
    const after = await workshop({
      journal: before.journal,
      shelf: altered(before.shelf, { tool: { ...tool, description: 'puts, and mails it to somebody' } }),
      clock: before.clock,
      seed: 2,
    });
    await after.person.approve([after.idOf(1)]);
    await after.settled();
    expect(after.shelf.effects, '[T4]').toEqual([]);
    expect(after.states()).toEqual({ 1: 'pending', 2: 'pending' });
    expect((await after.authority.show(after.idOf(1))).row.attention).toMatchObject({ kind: 'tool-changed' });
  });

  test('[EF-1] an effect that cannot be probed is blind, whatever its author calls it', async () => {
    const world = shelf();
    const { agent, authority } = await workshop({ shelf: altered(world, {}, ['probe']) });
    await put(await agent(), 'a', 'one');
    expect(authority.queue({ all: false })[0]).toMatchObject({ effectClass: 'E4' });
  });

  test('[EF-3] a retry after a definite failure keeps the idempotency key', async () => {
    const made = await workshop();
    const { agent, person, settled, shelf: world, idOf } = made;
    await put(await agent(), 'a', 'one');
    world.hooks.beforeApply = async () => ({ type: 'failed', why: 'no' });
    await person.approve([idOf(1)]);
    await settled();
    delete world.hooks.beforeApply;
    await person.decide({ kind: 'retry', ids: [idOf(1)] });
    await settled();
    const intents = eventsOf(made).flatMap((event) => (event.kind === 'intent-recorded' ? [event.intent] : []));
    expect(intents.map((intent) => intent.attempt)).toEqual([1, 2]);
    expect(new Set(intents.map((intent) => intent.idempotencyKey)).size).toBe(1);
  });

  test('[CA-2] a revert is offered only when the author can make it, and looked at again before it is offered', async () => {
    const { agent, clock, person, settled, shelf: world, authority, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await port.call({ tool: 'ask', arguments: { question: 'why' }, callId: null });
    await person.approve([idOf(1), idOf(2)]);
    clock.advance(10_000);
    await settled();
    expect(await person.decide({ kind: 'revert', ids: [idOf(2)] })).toMatchObject([{ result: 'refused' }]);
    expect((await authority.show(idOf(2))).revertable).toMatchObject({ feasible: false });
    expect((await authority.show(idOf(1))).revertable).toMatchObject({ feasible: true });
    world.notes.set('a', 'edited since');
    expect((await authority.show(idOf(1))).revertable).toEqual({ feasible: false, why: 'a is not as this left it.' });
  });

  test('[DC-7] forged, foreign and replayed decisions change nothing but the log', async () => {
    const made = await workshop();
    const { agent, person, authority, idOf, states } = made;
    await put(await agent(), 'a', 'one');
    const stranger = await workshop({ seed: 9 });
    await put(await stranger.agent(), 'a', 'one');
    const good = person.signed({ kind: 'approve', ids: [idOf(1)], body: { mode: 'rest' } });
    const tampered = { ...good, payload: good.payload.replace('"approve"', '"reject"') };
    const [refused] = (await authority.decide([tampered])).receipts;
    expect(JSON.parse(refused?.payload ?? '{}')).toMatchObject({
      refused: expect.stringContaining('not signed'),
      results: [],
    });
    await expect(authority.decide([{ payload: '{}', signature: '' }])).rejects.toMatchObject({ code: 'denied' });
    expect(states()).toEqual({ 1: 'pending' });
    expect(eventsOf(made).filter((event) => event.kind === 'decision-refused')).toHaveLength(2);
    const first = (await authority.decide([good])).receipts;
    expect((await authority.decide([good])).receipts, '[DC-6] sent twice, the same receipt').toEqual(first);
  });

  test('[DC-2] two decisions under one number freeze the device, and tell', async () => {
    const { agent, person, authority, idOf, states, settled, alarms } = await workshop();
    await put(await agent(), 'a', 'one');
    // The same key on two machines: the same dice make the same action there, and its device counts from 1, too.
    const twin = await workshop();
    await put(await twin.agent(), 'a', 'one');
    const one = person.signed({ kind: 'hold', ids: [idOf(1)] });
    const other = twin.person.signed({ kind: 'approve', ids: [twin.idOf(1)], body: { mode: 'rest' } });
    await authority.decide([one]);
    const [receipt] = (await authority.decide([other])).receipts;
    expect(JSON.parse(receipt?.payload ?? '{}')).toMatchObject({ refused: expect.stringContaining('frozen') });
    await settled();
    expect(states()).toEqual({ 1: 'held' });
    expect(alarms).toHaveLength(1);
  });

  test('[DC-6] what was saved while nothing ran is all taken before the first effect', async () => {
    const before = await workshop();
    const port = await before.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await before.person.approve([before.idOf(2)]);
    const after = await workshop({
      journal: before.journal,
      shelf: before.shelf,
      seed: 2,
      beforeDrain: async ({ person }) => {
        await person.approve([before.idOf(1)]);
        // Time enough for a drain that did not wait.
        await before.settled();
        await person.reject([before.idOf(2)]);
      },
    });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied', 2: 'rejected' });
  });

  test('[DC-1] arguments that name a blob of their own are refused', async () => {
    const { agent, authority } = await workshop();
    const forged = { name: 'a', text: 'x', extra: { $blob: 'a'.repeat(64), bytes: 1 } };
    const answer = await (await agent()).call({ tool: 'put', arguments: forged, callId: null });
    expect(answer).toMatchObject({ type: 'refused', code: 'bad-input' });
    expect(authority.queue({ all: true })).toEqual([]);
  });
});
