import { afterAll, beforeAll, expect, test } from 'vitest';
import { PINNED_SEEDS } from './pinned-seeds.ts';
import { makeDice } from './dice.ts';
import { drawRates, MODES, type Mode } from './rates.ts';
import { replayOf } from './replay.ts';
import type { WorkerReport } from './worker.ts';
import { bundleWorker, runSeeds, runWorker } from './workers.ts';

/**
 * Goal: whatever fails, in whatever order things happen, no invariant of the semantics is broken.
 * Method: pinned seeds first, then fresh ones; `npm run sim` runs thousands. A failure prints the command of its seed.
 */
const STEPS = 375;
const FRESH: Readonly<Record<Mode, number>> = { safety: 12, liveness: 2, 'two-homes': 2, upgrade: 2 };
/** Milliseconds for what takes a few seconds on a calm machine. */
const PATIENCE_MS = 240_000;
const RUN_SEED = Number(process.env['SIM_SEED'] ?? 1 + Math.floor(Math.random() * 2 ** 30));

/** Seeds in which devices are replicas with a network between them. */
const WITH_DEVICES = Array.from({ length: 100 }, (_, at) => at + 11).filter(
  (seed) => drawRates(makeDice(seed, 'safety').split('rates'), 'safety').publish === 'net',
);

let worker: Awaited<ReturnType<typeof bundleWorker>>;
beforeAll(async () => {
  worker = await bundleWorker();
});
afterAll(() => worker.remove());

test.each(MODES)(
  'pinned seeds break no invariant (%s)',
  async (mode) => {
    const pinned = PINNED_SEEDS.filter((one) => one.mode === mode);
    if (pinned.length === 0) return;
    const seeds = pinned.map(({ seed }) => seed).join(',');
    expectSound(await runWorker(worker.path, { seeds, mode, steps: STEPS }), mode);
  },
  PATIENCE_MS,
);

test.each(MODES)(
  `fresh seeds break no invariant (%s, from ${RUN_SEED})`,
  async (mode) => {
    const report = await runSeeds(worker.path, { mode, steps: STEPS, first: RUN_SEED, count: FRESH[mode], jobs: 1 });
    expect(report.seeds).toBe(FRESH[mode]);
    expect(report.steps).toBeGreaterThan(FRESH[mode] * STEPS);
    expectSound(report, mode);
  },
  PATIENCE_MS,
);

test(
  'a seed takes every process through the same steps, whatever ran before it',
  async () => {
    const seeds = [1, 2, 3, ...WITH_DEVICES.slice(0, 1)];
    const [once, again] = await Promise.all([
      runWorker(worker.path, { seeds: seeds.join(','), mode: 'safety', steps: STEPS }),
      runWorker(worker.path, { seeds: seeds.toReversed().join(','), mode: 'safety', steps: STEPS }),
    ]);
    expect(Object.keys(once.hashes)).toHaveLength(4);
    expect(again.hashes).toEqual(once.hashes);
    expect(new Set(Object.values(once.hashes)).size).toBe(4);
  },
  PATIENCE_MS,
);

test(
  'clocks of devices that are wrong by ten years change nothing',
  async () => {
    const seeds = WITH_DEVICES.slice(1, 3).join(',');
    const report = await runWorker(worker.path, { seeds, mode: 'safety', steps: STEPS, clocks: true });
    expect(report.occurred).toMatchObject({ 'clock: of every device is wrong by years': 2 });
    expectSound(report, 'safety');
  },
  PATIENCE_MS,
);

function expectSound({ failures }: WorkerReport, mode: Mode): void {
  const told = failures.map(({ seed, line, failure, tail }) =>
    [line, ...tail.slice(-20), `${failure?.what}: ${failure?.why}`, replayOf({ seed, steps: STEPS, mode })].join('\n'),
  );
  expect(told.join('\n\n')).toBe('');
}
