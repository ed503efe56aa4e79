// The entry of a simulation's own process: `seeds mode steps [print] [find] [clocks]`, seeds as `7,12` or as
// `first:count:stride`; `find` stops at the first that breaks a check, `clocks`
// compares each with itself under wrong clocks. The last line is its report, as JSON.
import { isChecked } from './checked.ts';
import { pinGlobals } from './globals.ts';
import { makeNet } from './net/index.ts';
import { Simulation, type SimResult } from './simulation.ts';
import { PROGRESS_SEEDS } from './progress.ts';
import type { Mode } from './rates.ts';

export interface WorkerReport {
  readonly seeds: number;
  readonly steps: number;
  readonly occurred: Readonly<Record<string, number>>;
  /** By seed, for who compares two runs. */
  readonly hashes: Readonly<Record<string, string>>;
  readonly failures: readonly Pick<SimResult, 'seed' | 'line' | 'failure' | 'tail'>[];
}

/** Failures after which a worker stops: more say nothing new. */
const FAILURES_MAX = 20;
/** Every so many seeds one is compared with itself under other clocks. */
const SHIFT_EVERY = 100;
const YEAR_MS = 365 * 24 * 3_600_000;

const [seeds = '1:1:1', mode = 'safety', steps = '375', ...words] = process.argv.slice(2);
const print = words.includes('print');
const find = words.includes('find');
const clocks = words.includes('clocks');

const occurred = new Map<string, number>();
const hashes: Record<string, string> = {};
const failures: SimResult[] = [];
let [done, taken] = [0, 0];
for (const seed of seeds.split(',').flatMap(listed)) {
  if (find ? failures.some(isChecked) : failures.length >= FAILURES_MAX) break;
  pinGlobals(seed);
  const result = await new Simulation({
    seed,
    steps: Number(steps),
    // reason: the script that starts this process has checked it
    mode: mode as Mode,
    makeNet,
    ...(print ? { print: (line: string) => console.log(line) } : {}),
  }).run();
  const other =
    result.failure === undefined && (clocks || seed % SHIFT_EVERY === 0) ? await shifted(seed, result) : undefined;
  if (other !== undefined) failures.push({ ...result, failure: other });
  done += 1;
  if (done % PROGRESS_SEEDS === 0) process.stderr.write('.');
  taken += result.steps;
  hashes[seed] = result.hash;
  for (const [what, times] of result.occurred) occurred.set(what, (occurred.get(what) ?? 0) + times);
  if (result.failure !== undefined) failures.push(result);
}
const report: WorkerReport = {
  seeds: done,
  steps: taken,
  occurred: Object.fromEntries(occurred),
  hashes,
  failures: failures.map(({ seed, line, failure, tail }) => ({ seed, line, failure, tail })),
};
process.stdout.write(`${JSON.stringify(report)}\n`);

/** 19: the same seed with every device's clock off by ten years takes the same steps. */
async function shifted(seed: number, { hash }: SimResult): Promise<SimResult['failure']> {
  pinGlobals(seed);
  const deviceClockMs = (seed % (2 * SHIFT_EVERY) === 0 ? 10 : -10) * YEAR_MS;
  // reason: the script that starts this process has checked it
  const options = { seed, steps: Number(steps), mode: mode as Mode, makeNet, deviceClockMs };
  const result = await new Simulation(options).run();
  occurred.set(
    'clock: of every device is wrong by years',
    (occurred.get('clock: of every device is wrong by years') ?? 0) + 1,
  );
  if (result.hash === hash) return undefined;
  return { what: 'invariant 19: A clock of a device changes nothing', why: `by ${deviceClockMs} ms it does`, step: 0 };
}

function listed(text: string): readonly number[] {
  const [first = 1, count = 1, stride = 1] = text.split(':').map(Number);
  return Array.from({ length: count }, (_, at) => first + at * stride);
}
