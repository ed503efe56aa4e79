import { describe, expect, test } from 'vitest';
import { steadyClock } from '../../../src/base/clock.ts';
import { FakeClock } from '../../../src/testing/index.ts';

const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;

describe('a steady clock', () => {
  test('[F11] follows a wall clock that jumps forward', () => {
    const clock = new FakeClock({ nowMs: 1_000 });
    const steady = steadyClock(clock, 0);
    expect(steady.nowMs()).toBe(1_000);
    clock.jump(YEAR_MS);
    expect(steady.nowMs()).toBe(1_000 + YEAR_MS);
    expect(steady.aheadMs()).toBe(0);
  });

  test('[F11] goes on at the pace of time when the wall clock goes back, and waits for nothing', () => {
    const clock = new FakeClock({ nowMs: YEAR_MS });
    const steady = steadyClock(clock, 0);
    steady.nowMs();
    clock.jump(-YEAR_MS);
    expect(steady.nowMs()).toBe(YEAR_MS);
    clock.advance(5_000);
    expect(steady.nowMs()).toBe(YEAR_MS + 5_000);
    expect(steady.aheadMs()).toBe(YEAR_MS);
  });

  test('begins where it is told to, if the wall clock is behind that', () => {
    const clock = new FakeClock({ nowMs: 1_000 });
    const steady = steadyClock(clock, 9_000);
    clock.advance(500);
    expect(steady.nowMs()).toBe(9_500);
  });

  test('loses nothing to fractions of a millisecond, however often it is read', () => {
    let elapsedMs = 0;
    const steady = steadyClock({ nowMs: () => 0, monotonicMs: () => elapsedMs }, 0);
    for (let reading = 0; reading < 1_000; reading++) {
      elapsedMs += 0.4;
      steady.nowMs();
    }
    expect(steady.nowMs()).toBeGreaterThanOrEqual(399);
  });
});
