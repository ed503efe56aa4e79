import { expect, test } from 'vitest';
import { put, workshop } from '../../support/workshop.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

/** What a device saved offline, and how it arrives in the end: numbers of decisions, once, twice, in any order. */
const ARRIVALS: readonly (readonly number[])[] = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 1, 0, 2, 0],
  [0, 2, 2, 1, 1, 0],
];

test.each(ARRIVALS.map((order) => [order.join(' '), order] as const))(
  '[F6] a device that was away for a week is asked again for its approval, and its reject and hold count (%s)',
  async (_, order) => {
    const { agent, authority, clock, idOf, person, settled, shelf, states } = await workshop();
    for (const name of ['approved', 'rejected', 'held']) await put(await agent(name), name, 'text');
    const saved = [
      person.signed({ kind: 'approve', ids: [idOf(1)], body: { mode: 'rest' } }),
      person.signed({ kind: 'reject', ids: [idOf(2)] }),
      person.signed({ kind: 'hold', ids: [idOf(3)] }),
    ];
    clock.advance(WEEK_MS);
    for (const n of order) {
      const one = saved[n];
      if (one !== undefined) await authority.decide([one]);
      await settled();
    }
    // What came before the one that it follows is sent again, as every device does until it holds a receipt.
    const receipts = await authority.decide(saved);
    await settled();
    expect(receipts.receipts).toHaveLength(saved.length);
    expect(states()).toEqual({ 1: 'pending', 2: 'rejected', 3: 'held' });
    expect(authority.queue({ all: false })[0]?.attention).toMatchObject({ kind: 'stale' });
    expect(shelf.effects).toEqual([]);
    await person.approve([idOf(1)]);
    await settled();
    expect(states()).toEqual({ 1: 'applied', 2: 'rejected', 3: 'held' });
    expect(shelf.effects).toEqual(['approved=text']);
  },
);
