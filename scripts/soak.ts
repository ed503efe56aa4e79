// npm run soak [-- --seed N] [--times 10] [--jobs 2]
// Ten times what a machine that nobody watches simulates, over all modes, for a night. The last line says what it came to.
import { parseArgs } from 'node:util';
import { missing } from '../test/simulation/coverage.ts';
import { MODES, type Mode } from '../test/simulation/rates.ts';
import { replayOf } from '../test/simulation/replay.ts';
import { bundleWorker, runSeeds } from '../test/simulation/workers.ts';

/** Seeds of one round of a mode; ten rounds are a soak. */
const SEEDS: Readonly<Record<Mode, number>> = { safety: 8_000, liveness: 500, 'two-homes': 1_000, upgrade: 1_000 };
/** Seeds of one pair of processes: what one of them leaks ends with it, and what fails is told soon. */
const SEEDS_AT_ONCE = 500;
const STEPS = 375;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(1 + Math.floor(Math.random() * 2 ** 30)) },
    times: { type: 'string', default: '10' },
    jobs: { type: 'string', default: '2' },
  },
});
const [from, times, jobs] = [values.seed, values.times, values.jobs].map(Number);
if (from === undefined || !(Number(times) > 0)) throw new Error('--seed and --times are numbers');

const worker = await bundleWorker();
const begunMs = performance.now();
let [seeds, steps, failed, unmet] = [0, 0, 0, 0];
try {
  for (const mode of MODES) await soak(mode);
} finally {
  worker.remove();
}
const minutes = ((performance.now() - begunMs) / 60_000).toFixed(0);
console.log(`${seeds} seeds from ${from}, ${steps} steps in ${minutes} min, ${failed} failed, ${unmet} never met`);
process.exitCode = failed + unmet === 0 ? 0 : 1;

async function soak(mode: Mode): Promise<void> {
  const occurred: Record<string, number> = {};
  const until = Number(from) + Math.ceil(SEEDS[mode] * Number(times));
  for (let first = Number(from); first < until; first += SEEDS_AT_ONCE) {
    const count = Math.min(SEEDS_AT_ONCE, until - first);
    const report = await runSeeds(worker.path, { mode, steps: STEPS, first, count, jobs: Number(jobs) });
    seeds += report.seeds;
    steps += report.steps;
    failed += report.failures.length;
    for (const [what, n] of Object.entries(report.occurred)) occurred[what] = (occurred[what] ?? 0) + n;
    for (const { seed, failure } of report.failures)
      console.log(`FAILED: ${failure?.what}: ${failure?.why}\n  ${replayOf({ seed, steps: STEPS, mode })}`);
    console.log(`${mode}: ${seeds} seeds, ${steps} steps, ${failed} failed`);
  }
  // Modes that run less are not asked for what is rare.
  const gaps = mode === 'safety' && Number(times) >= 1 ? missing(occurred, mode) : [];
  for (const gap of gaps) console.log(`never met: ${gap}`);
  unmet += gaps.length;
}
