import { expect, test } from 'vitest';
import { OVERLAY_LAWS } from '../fuzz/laws/overlay.ts';

test('[SM-2] the overlay that grew change by change is the one that is built anew', () => {
  expect(() => OVERLAY_LAWS.incrementalIsRebuilt.check({ numRuns: 1_000 })).not.toThrow();
});

test('[SM-2] a read is the newest live version before its place, and a folder lists what stands in it', () => {
  expect(() => OVERLAY_LAWS.readsAreTheFold.check({ numRuns: 1_000 })).not.toThrow();
});

test('[SM-6] a write needs the makers of what it read and of what it replaces, and nobody else', () => {
  expect(() => OVERLAY_LAWS.needsAreWhatWasReadOrReplaced.check({ numRuns: 1_000 })).not.toThrow();
});
