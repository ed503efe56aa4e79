import { describe, expect, test } from 'vitest';
import type { Action } from '../../../src/model/action.ts';
import { blockersOf, planLane, waitsFor } from '../../../src/model/drain-plan.ts';
import { aid, attention, inState } from './make-action.ts';
import { indexOf } from './make-index.ts';

const needs = (...seqs: readonly number[]) => ({ needs: seqs.map(aid) });

function plan(...lane: readonly Action[]) {
  return planLane(indexOf(lane), lane);
}

describe('one lane', () => {
  test('[DR-1] its first action runs when it is approved', () => {
    expect(plan(inState('approved', 1), inState('approved', 2))).toEqual({ type: 'run', id: aid(1) });
  });

  test('[DR-1] nothing passes an earlier undecided action', () => {
    const lane = [inState('pending', 1), inState('pending', 2), inState('approved', 3), inState('approved', 4)];
    expect(plan(...lane)).toEqual({ type: 'wait', id: aid(3), for: aid(1), why: 'undecided' });
  });

  test('[DR-1] with nothing approved there is nothing to do', () => {
    expect(plan()).toEqual({ type: 'idle' });
    expect(plan(inState('pending', 1), inState('held', 2), inState('failed', 3))).toEqual({ type: 'idle' });
  });

  test.each(['failed', 'not-applied', 'in-doubt', 'applying'] as const)('[DR-4] %s stops the lane', (state) => {
    expect(plan(inState(state, 1), inState('approved', 2))).toEqual({
      type: 'wait',
      id: aid(2),
      for: aid(1),
      why: state,
    });
  });

  test('[DR-4] so does a conflict, under its own name', () => {
    const conflict = inState('pending', 1, { newestAttention: attention('conflict', 40) });
    expect(plan(conflict, inState('approved', 2))).toMatchObject({ for: aid(1), why: 'conflict' });
  });

  test('what late evidence contradicted stops the lane while it is in the list', () => {
    const alarm: Action = { ...inState('applied', 1), contradicted: true };
    expect(plan(alarm, inState('approved', 2))).toMatchObject({ for: aid(1), why: 'contradicted' });
    expect(plan(inState('applied', 1), inState('approved', 2))).toEqual({ type: 'run', id: aid(2) });
  });

  test.each(['held', 'applied', 'rejected', 'reverting', 'revert-in-doubt', 'reverted'] as const)(
    '[DR-9] %s is not in the lane and is passed over',
    (state) => {
      expect(plan(inState(state, 1), inState('approved', 2))).toEqual({ type: 'run', id: aid(2) });
    },
  );
});

describe('between lanes', () => {
  const there = { lane: 'page:7' };

  test.each([
    ['pending', 'undecided'],
    ['approved', 'approved'],
    ['applying', 'applying'],
    ['failed', 'failed'],
    ['in-doubt', 'in-doubt'],
    ['not-applied', 'not-applied'],
    ['held', 'held'],
    ['reverting', 'reverting'],
    ['revert-in-doubt', 'reverting'],
    ['reverted', 'gone'],
    ['rejected', 'gone'],
  ] as const)('[DR-1] a need that is %s is waited for', (state, why) => {
    const waiting = inState('approved', 2, needs(1));
    const index = indexOf([inState(state, 1, there), waiting]);
    expect(planLane(index, [waiting])).toEqual({ type: 'wait', id: aid(2), for: aid(1), why });
  });

  test('[DR-1] a need that is applied, or has left memory since, is met', () => {
    const ready = inState('approved', 2, needs(1));
    expect(planLane(indexOf([inState('applied', 1, there), ready]), [ready])).toEqual({ type: 'run', id: aid(2) });
    expect(planLane(indexOf([ready]), [ready])).toEqual({ type: 'run', id: aid(2) });
  });

  test('[DR-4] a lane that stopped does not stop another', () => {
    const index = indexOf([inState('failed', 1), inState('approved', 2, there)]);
    expect(planLane(index, index.lane('page:7'))).toEqual({ type: 'run', id: aid(2) });
  });
});

describe('what is said of a waiting action', () => {
  const index = indexOf([
    inState('pending', 1),
    inState('held', 2),
    inState('approved', 3),
    inState('pending', 4, { lane: 'page:7' }),
    inState('approved', 5, needs(1, 4)),
    inState('pending', 6),
  ]);

  test('[DR-1] for whom it waits: the front of the lane, and what it needs from other lanes', () => {
    expect(waitsFor(index, aid(5))).toEqual([aid(1), aid(4)]);
    expect(waitsFor(index, aid(3))).toEqual([aid(1)]);
    expect(waitsFor(index, aid(1))).toEqual([]);
  });

  test('[DR-1] what would have to be decided first: all that stands before it', () => {
    expect(blockersOf(index, aid(5))).toEqual([aid(1), aid(3), aid(4)]);
    expect(blockersOf(index, aid(6))).toEqual([aid(1), aid(3), aid(5)]);
  });

  test('what is not in a lane waits for nobody', () => {
    for (const seq of [2, 99]) {
      expect(waitsFor(index, aid(seq))).toEqual([]);
      expect(blockersOf(index, aid(seq))).toEqual([]);
    }
  });
});
