// The entry of a simulation's own process: `seeds mode steps [print] [find]`, seeds as `7,12` or as
// `first:count:stride`; `find` stops at the first that breaks a check. The last line is its report, as JSON.
import { isChecked } from './checked.ts';
import { pinGlobals } from './globals.ts';
import { makeNet } from './net/index.ts';
import { Simulation, type SimResult } from './simulation.ts';
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

const [seeds = '1:1:1', mode = 'safety', steps = '375', ...words] = process.argv.slice(2);
const print = words.includes('print');
const find = words.includes('find');

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
  done += 1;
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

function listed(text: string): readonly number[] {
  const [first = 1, count = 1, stride = 1] = text.split(':').map(Number);
  return Array.from({ length: count }, (_, at) => first + at * stride);
}
