import { describe, expect, test } from 'vitest';
import type { Action, Parked } from '../../../src/model/action.ts';
import { bornParked, planHold, planRelease } from '../../../src/model/hold.ts';
import { aid, inState } from './make-action.ts';
import { indexOf } from './make-index.ts';

const needs = (...seqs: readonly number[]) => ({ needs: seqs.map(aid) });
const parked = (own: boolean, ...heldWith: readonly number[]): Parked => ({ own, heldWith: heldWith.map(aid) });

function held(seq: number, why: Parked, changes: Parameters<typeof inState>[2] = {}): Action {
  return { ...inState('held', seq, changes), parked: why };
}

describe('hold', () => {
  test('[DR-9] parks the action and all that needs it, approved or not', () => {
    const index = indexOf([
      inState('approved', 1),
      inState('pending', 2, needs(1)),
      inState('approved', 3, needs(2)),
      inState('pending', 4),
    ]);
    expect(planHold(index, aid(1))).toEqual({
      ok: true,
      value: [
        { id: aid(1), parked: parked(true) },
        { id: aid(2), parked: parked(false, 1) },
        { id: aid(3), parked: parked(false, 1) },
      ],
    });
  });

  test('[DR-9] a second hold is added to the first, and holding twice changes nothing', () => {
    const index = indexOf([
      held(1, parked(true)),
      held(2, parked(false, 1), needs(1)),
      held(3, parked(false, 1), needs(2)),
    ]);
    expect(planHold(index, aid(2))).toEqual({
      ok: true,
      value: [
        { id: aid(2), parked: parked(true, 1) },
        { id: aid(3), parked: parked(false, 1, 2) },
      ],
    });
    expect(planHold(index, aid(1))).toEqual({ ok: true, value: [] });
  });

  test.each(['applying', 'failed', 'in-doubt', 'not-applied'] as const)('[DR-9] what is %s cannot be held', (state) => {
    expect(planHold(indexOf([inState(state, 1)]), aid(1))).toMatchObject({
      ok: false,
      error: expect.stringContaining(state),
    });
  });

  test('[DR-9] nor what something needs that has begun: it could not be parked with it', () => {
    const index = indexOf([inState('approved', 1), inState('failed', 2, needs(1))]);
    expect(planHold(index, aid(1))).toEqual({ ok: false, error: '#2 needs #1 and is failed; settle #2 first.' });
  });

  test('[DR-9] a settled action has nothing to hold', () => {
    expect(planHold(indexOf([]), aid(1))).toMatchObject({ ok: false });
  });
});

describe('release', () => {
  test('[DR-9] the group goes to the tail in its old order', () => {
    const index = indexOf([
      held(1, parked(true), { place: 1 }),
      held(2, parked(false, 1), { ...needs(1), place: 4 }),
      held(3, parked(false, 1), { ...needs(1), place: 2 }),
      inState('pending', 4, { place: 3 }),
    ]);
    expect(planRelease(index, aid(1), 50)).toEqual({
      ok: true,
      value: {
        released: [
          { id: aid(1), place: 50 },
          { id: aid(3), place: 51 },
          { id: aid(2), place: 52 },
        ],
        parked: [],
        nextPlace: 53,
      },
    });
  });

  test('[DR-9] what another hold parks as well moves behind what it needs, still parked', () => {
    const index = indexOf([
      held(1, parked(true)),
      held(2, parked(true, 1), needs(1)),
      held(3, parked(false, 1, 2, 9), needs(2)),
    ]);
    expect(planRelease(index, aid(1), 50)).toEqual({
      ok: true,
      value: {
        released: [{ id: aid(1), place: 50 }],
        parked: [
          { id: aid(2), parked: parked(true), place: 51 },
          { id: aid(3), parked: parked(false, 2, 9), place: 52 },
        ],
        nextPlace: 53,
      },
    });
  });

  test('[DR-9] lifting the own hold of what is parked with another leaves it parked where it stands', () => {
    const index = indexOf([
      held(1, parked(true)),
      held(2, parked(true, 1), needs(1)),
      held(3, parked(false, 1, 2), needs(2)),
    ]);
    expect(planRelease(index, aid(2), 50)).toEqual({
      ok: true,
      value: {
        released: [],
        parked: [
          { id: aid(2), parked: parked(false, 1) },
          { id: aid(3), parked: parked(false, 1) },
        ],
        nextPlace: 50,
      },
    });
  });

  test('[DR-9] only a hold of its own can be lifted', () => {
    const index = indexOf([held(1, parked(true)), held(2, parked(false, 1), needs(1)), inState('pending', 3)]);
    for (const seq of [2, 3, 4]) expect(planRelease(index, aid(seq), 50)).toMatchObject({ ok: false });
  });
});

describe('birth', () => {
  const index = indexOf([
    inState('pending', 1),
    held(2, parked(true)),
    held(3, parked(false, 2), needs(2)),
    held(4, parked(true, 2)),
  ]);

  test('[DR-9] an action that needs a held one is born parked, with every hold behind it', () => {
    expect(bornParked(index, [aid(1), aid(2)])).toEqual(parked(false, 2));
    expect(bornParked(index, [aid(3)])).toEqual(parked(false, 2));
    expect(bornParked(index, [aid(3), aid(4)])).toEqual(parked(false, 2, 4));
  });

  test('[DR-9] one that needs nothing held is born in the lane', () => {
    expect(bornParked(index, [])).toBeNull();
    expect(bornParked(index, [aid(1), aid(99)])).toBeNull();
  });
});
