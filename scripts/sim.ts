// npm run sim -- [--seed N] [--seeds COUNT] [--steps M] [--mode safety|liveness|two-homes|upgrade] [--jobs 2]
// Simulates the runtime, its disk, its world and its people from seeds. One seed is printed step by step; more are
// counted, and must have met everything that the table of coverage asks for.
import { parseArgs } from 'node:util';
import { coverageTable, missing } from '../test/simulation/coverage.ts';
import { replayOf } from '../test/simulation/replay.ts';
import { MODES, type Mode } from '../test/simulation/rates.ts';
import { bundleWorker, runSeeds } from '../test/simulation/workers.ts';

/** Seeds from which on a run must have met everything. */
const COMPLETE_FROM = 2_000;
/** Seeds after which a long run says how far it is. */
const SAID_EVERY = 500;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string' },
    steps: { type: 'string', default: '375' },
    mode: { type: 'string', default: 'safety' },
    jobs: { type: 'string', default: '2' },
    quiet: { type: 'boolean', default: false },
  },
});
const mode = MODES.find((one) => one === values.mode);
if (mode === undefined) throw new Error(`--mode is one of ${MODES.join(', ')}`);
const first = whole('seed', values.seed ?? String(1 + Math.floor(Math.random() * 2 ** 30)));
const count = whole('seeds', values.seeds ?? '1');
const steps = whole('steps', values.steps);
process.exitCode = await simulate(mode);

async function simulate(chosen: Mode): Promise<number> {
  const worker = await bundleWorker();
  const begunMs = performance.now();
  try {
    const print = count === 1 && !values.quiet;
    const report = await runSeeds(worker.path, {
      mode: chosen,
      steps,
      first,
      count,
      jobs: whole('jobs', values.jobs),
      print,
      onProgress: progress(count),
    });
    const seconds = (performance.now() - begunMs) / 1_000;
    for (const { seed, line, failure, tail } of report.failures) {
      console.log(`\n${line}\n${tail.slice(-30).join('\n')}`);
      console.log(
        `\nFAILED at step ${failure?.step}: ${failure?.what}\n  ${failure?.why}\n  ${replayOf({ seed, steps, mode: chosen })}`,
      );
    }
    if (count > 1) console.log(coverageTable(report.occurred));
    const gaps = count >= COMPLETE_FROM ? missing(report.occurred, chosen) : [];
    for (const gap of gaps) console.log(`never met: ${gap}`);
    console.log(
      `${report.seeds} seeds from ${first}, ${report.steps} steps in ${seconds.toFixed(1)} s ` +
        `(${Math.round(report.steps / seconds)} a second), ${report.failures.length} failed, ${gaps.length} never met` +
        (count === 1 ? `, trace ${Object.values(report.hashes).join('')}` : ''),
    );
    return report.failures.length + gaps.length === 0 ? 0 : 1;
  } finally {
    worker.remove();
  }
}

/** A line every so many seeds: a run that is cut has said how far it was. */
function progress(all: number): (seeds: number) => void {
  let done = 0;
  return (seeds) => {
    const before = done;
    done += seeds;
    if (Math.floor(done / SAID_EVERY) > Math.floor(before / SAID_EVERY)) console.log(`${done} of ${all} seeds`);
  };
}

function whole(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`--${name} is a whole number from 1 on, not ${text}`);
  return number;
}
