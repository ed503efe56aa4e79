import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { plus, roomFor, roomWarning, targetsUsed, type Added, type Caps, type Load } from '../../src/model/caps.ts';

const CAPS: Caps = { targetsMax: 8, stepsPerTargetMax: 3, bytesMax: 200, warnPercent: 80 };

const proposals = fc.array(
  fc.record<Added>({
    targets: fc.array(
      fc.integer({ min: 0, max: 9 }).map((n) => `file:${n}`),
      { maxLength: 2 },
    ),
    bytes: fc.integer({ min: 0, max: 20 }),
  }),
  { maxLength: 60, size: 'max' },
);

/** The load counted from the list itself. */
function countedTargets(taken: readonly Added[]): number {
  const steps = new Map<string, number>();
  for (const { targets } of taken)
    for (const target of new Set(targets)) steps.set(target, (steps.get(target) ?? 0) + 1);
  return [...steps.values()].reduce(
    (sum, n) => sum + Math.floor((n + CAPS.stepsPerTargetMax - 1) / CAPS.stepsPerTargetMax),
    0,
  );
}

test('[CP-1] whatever is proposed in whatever order, neither cap is ever passed, and the warning comes at most once', () => {
  fc.assert(
    fc.property(proposals, (sequence) => {
      let load: Load = { steps: new Map(), bytes: 0 };
      const taken: Added[] = [];
      let warnings = 0;
      for (const added of sequence) {
        const after = [...taken, added];
        const fits = countedTargets(after) <= CAPS.targetsMax && load.bytes + added.bytes <= CAPS.bytesMax;
        expect(roomFor(load, added, CAPS).ok).toBe(fits);
        if (!fits) continue;
        if (roomWarning(load, added, CAPS) !== null) warnings += 1;
        load = plus(load, added);
        taken.push(added);
        expect(targetsUsed(load, CAPS)).toBe(countedTargets(taken));
      }
      const reached = countedTargets(taken) >= 0.8 * CAPS.targetsMax || load.bytes >= 0.8 * CAPS.bytesMax;
      expect(warnings).toBe(reached ? 1 : 0);
    }),
    { numRuns: 400 },
  );
});
