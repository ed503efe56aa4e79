import { describe, expect, test } from 'vitest';
import { planCascade } from '../../../src/model/cascade.ts';
import { aid, inState, sid } from './make-action.ts';
import { indexOf } from './make-index.ts';

const needs = (...seqs: readonly number[]) => ({ needs: seqs.map(aid) });

describe('what falls', () => {
  test('[CA-1] every uncommitted action that needs it, directly or through others, approved or not, in the order of places', () => {
    const index = indexOf([
      inState('pending', 1),
      inState('approved', 2, { ...needs(1), place: 20 }),
      inState('pending', 3, { ...needs(2), place: 30 }),
      inState('held', 4, { ...needs(1), place: 5 }),
      inState('failed', 5, { ...needs(4), place: 25 }),
      inState('pending', 6),
    ]);
    expect(planCascade(index, [aid(1)]).falls).toEqual([aid(4), aid(2), aid(5), aid(3)]);
  });

  test('[CA-1] several roots fall once, and no root falls with another', () => {
    const index = indexOf([inState('pending', 1), inState('pending', 2, needs(1)), inState('pending', 3, needs(1, 2))]);
    expect(planCascade(index, [aid(1), aid(2), aid(1)])).toMatchObject({ falls: [aid(3)] });
  });

  test('[CA-1] what is past its commit point does not fall, but what needs it does', () => {
    const index = indexOf([inState('approved', 1), inState('in-doubt', 2, needs(1)), inState('pending', 3, needs(2))]);
    expect(planCascade(index, [aid(1)])).toMatchObject({ falls: [aid(3)], committed: [aid(2)] });
  });

  test('[CA-1] the cost is that of what falls, however much else is open', () => {
    const others = Array.from({ length: 500 }, (_, n) => inState('pending', 100 + n));
    const index = indexOf([inState('pending', 1), inState('pending', 2, needs(1)), ...others]);
    expect(planCascade(index, [aid(1)]).falls).toEqual([aid(2)]);
    expect(index.asked()).toBe(2);
  });
});

describe('what must be looked at again', () => {
  const actions = [
    inState('pending', 1),
    inState('pending', 2, needs(1)),
    inState('approved', 3, { place: 40 }),
    inState('pending', 4),
    inState('held', 5),
    inState('applying', 6),
    inState('failed', 7),
  ];

  test('[SM-7] what saw the withdrawn or what fell with it, and neither fell nor began', () => {
    const index = indexOf(actions, { saw: { 1: [2, 3, 6], 2: [3, 4, 5, 7] } });
    expect(planCascade(index, [aid(1)])).toMatchObject({
      falls: [aid(2)],
      lookAgain: [aid(4), aid(5), aid(7), aid(3)],
    });
  });

  test('[SM-7] having only needed nothing and seen nothing, nothing is asked again', () => {
    expect(planCascade(indexOf(actions), [aid(4)])).toMatchObject({ falls: [], lookAgain: [] });
  });
});

describe('who must start again', () => {
  test('[SM-7] only sessions that were shown some of it, each with exactly what was withdrawn', () => {
    const actions = [inState('pending', 1), inState('pending', 2, needs(1)), inState('pending', 3, needs(2))];
    const index = indexOf(actions, { shown: { 1: [sid(1)], 3: [sid(1), sid(2)] } });
    expect([...planCascade(index, [aid(1)]).restart]).toEqual([
      [sid(1), [aid(1), aid(3)]],
      [sid(2), [aid(3)]],
    ]);
    expect(planCascade(indexOf(actions), [aid(1)]).restart.size).toBe(0);
  });
});
