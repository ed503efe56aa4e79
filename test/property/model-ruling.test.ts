import { describe, expect, test } from 'vitest';
import { RULING_LAWS } from '../fuzz/laws/ruling.ts';

/** The laws stand in test/fuzz/laws, where a night runs them for a million inputs. Each throws with a counterexample. */
describe('the ruling', () => {
  test('[DC-3] [DC-11] [DC-12] is what the rules say', () => {
    expect(() => RULING_LAWS.isWhatTheRulesSay.check({ numRuns: 5_000 })).not.toThrow();
  });

  test('[DC-4] is a function of the set: order, repetition and batching do not matter', () => {
    expect(() => RULING_LAWS.isOfTheSet.check({ numRuns: 5_000 })).not.toThrow();
  });

  test('[DC-3] a reject is final: nothing that comes before or after it revives the action', () => {
    expect(() => RULING_LAWS.aRejectIsFinal.check({ numRuns: 1_000 })).not.toThrow();
  });

  test('[DC-1] a decision about another version changes nothing', () => {
    expect(() => RULING_LAWS.isOfOneVersion.check({ numRuns: 1_000 })).not.toThrow();
  });

  test('requests that are no stance leave the ruling as it was', () => {
    expect(() => RULING_LAWS.ignoresRequests.check({ numRuns: 500 })).not.toThrow();
  });

  test('revoking a device never turns a reject or another device’s hold around (the pure part of DC-8)', () => {
    expect(() => RULING_LAWS.revokingTurnsNothingAround.check({ numRuns: 1_000 })).not.toThrow();
  });
});

test('[DC-2] a device is caught exactly when one of its numbers stands for two decisions', () => {
  expect(() => RULING_LAWS.catchesEquivocation.check({ numRuns: 1_000 })).not.toThrow();
});
