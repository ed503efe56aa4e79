import { expect, test } from 'vitest';
import { runFlips } from './flips/flips.ts';
import { runMalformed } from './malformed/malformed.ts';
import { runProperties } from './properties.ts';

/** A minute of each of these is `npm run fuzz`; here a little of it sees that the nets still hold. */
const SEED = 20_261_130;
const quiet = (): void => undefined;

test('[DC-7] [F8] malformed input at every door crashes nothing, holds nothing up and changes nothing', async () => {
  const { inputs, wrong } = await runMalformed({ seed: SEED, count: 3_000, onProgress: quiet });
  expect(wrong).toEqual([]);
  expect(inputs).toBeGreaterThanOrEqual(3_000);
});

test('[F3] [T21] damage to a real history ends equal, quarantined or named', async () => {
  const { count, wrong } = await runFlips({ seed: SEED, count: 60, actions: 24, onProgress: quiet });
  expect(wrong).toEqual([]);
  for (const type of ['equal', 'quarantined', 'named'] as const) expect(count(type), type).toBeGreaterThan(0);
});

test('the laws that a night holds a million inputs against are the ones of the tests', () => {
  expect(runProperties({ seed: SEED, count: 1_100, onProgress: quiet })).toBeGreaterThanOrEqual(1_100);
});
