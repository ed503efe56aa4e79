import { describe, expect, test } from 'vitest';
import { CAPS, roomFor, roomWarning, type Caps, type Load } from '../../../src/model/caps.ts';

const SMALL: Caps = { targetsMax: 10, stepsPerTargetMax: 3, bytesMax: 1_000, warnPercent: 80 };

function load(targets: number, bytes = 0): Load {
  return { steps: new Map(Array.from({ length: targets }, (_, n) => [`file:${n}`, 1])), bytes };
}

const one = { targets: ['file:new'], bytes: 1 };

describe('the cap on targets', () => {
  test('[CP-1] 500 targets fit, the next one does not, and the answer says so and how to wait', () => {
    expect(roomFor(load(499), one)).toEqual({ ok: true, value: undefined });
    expect(roomFor(load(500), one)).toEqual({
      ok: false,
      error:
        'The queue is full: 500 of 500 targets wait for a decision. Nothing was queued. Call wait_for_decision ' +
        'with { "forRoom": true } to wait for room, or withdraw what is no longer wanted.',
    });
  });

  test('[CP-1] editing one target again is free up to 50 steps, also at the cap', () => {
    const again = { targets: ['file:0'], bytes: 1 };
    const at = (steps: number): Load => ({ steps: new Map([...load(500).steps, ['file:0', steps]]), bytes: 0 });
    expect(roomFor(at(1), again).ok).toBe(true);
    expect(roomFor(at(49), again).ok).toBe(true);
    expect(roomFor(at(50), again).ok).toBe(false);
  });

  test('[CP-1] a target named twice by one action is one target', () => {
    expect(roomFor(load(9), { targets: ['file:a', 'file:a'], bytes: 0 }, SMALL).ok).toBe(true);
    expect(roomFor(load(9), { targets: ['file:a', 'file:b'], bytes: 0 }, SMALL).ok).toBe(false);
  });
});

describe('the cap on bytes', () => {
  test('[CP-1] 256 MiB fit, one byte more does not', () => {
    const added = { targets: ['file:new'], bytes: 2 };
    expect(roomFor(load(1, CAPS.bytesMax - 2), added).ok).toBe(true);
    expect(roomFor(load(1, CAPS.bytesMax - 1), added)).toMatchObject({
      error: expect.stringContaining('256 of 256 MiB'),
    });
  });

  test('[CP-1] what adds no bytes fits also when they are used up', () => {
    expect(roomFor(load(1, CAPS.bytesMax + 1), { targets: ['file:new'], bytes: 0 }).ok).toBe(true);
  });
});

describe('the warning', () => {
  test('[CP-1] comes once, with the proposal that reaches 80 % of either cap', () => {
    expect(roomWarning(load(6), one, SMALL)).toBeNull();
    expect(roomWarning(load(7), one, SMALL)).toMatch(/^The queue is 80 % full: 8 of 10 targets/);
    expect(roomWarning(load(8), one, SMALL)).toBeNull();
    expect(roomWarning(load(1, 700), { targets: [], bytes: 100 }, SMALL)).toMatch(/^The queue is 80 % full/);
    expect(roomWarning(load(1, 800), { targets: [], bytes: 100 }, SMALL)).toBeNull();
  });
});
