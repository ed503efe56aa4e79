import { CASCADE_LAWS } from './laws/cascade.ts';
import type { Law } from './laws/law.ts';
import { OVERLAY_LAWS } from './laws/overlay.ts';
import { RULING_LAWS } from './laws/ruling.ts';

const LAWS: readonly (readonly [name: string, law: Law])[] = Object.entries({
  ruling: RULING_LAWS,
  cascade: CASCADE_LAWS,
  overlay: OVERLAY_LAWS,
}).flatMap(([topic, laws]) => Object.entries<Law>(laws).map(([name, law]) => [`${topic}.${name}`, law] as const));

/** Runs of one law under one seed: a failure names it, and trying it again takes seconds. */
const RUNS_PER_SEED = 10_000;

export interface PropertiesRun {
  readonly seed: number;
  /** Runs of all laws together. */
  readonly count: number;
  readonly onProgress: (line: string) => void;
}

/** Holds ruling, cascade and overlay against their laws, `count` times. Throws with a counterexample. Answers the runs. */
export function runProperties({ seed, count, onProgress }: PropertiesRun): number {
  const shares = LAWS.reduce((sum, [, { share }]) => sum + share, 0);
  let done = 0;
  for (const [name, law] of LAWS) {
    const runs = Math.ceil((count * law.share) / shares);
    for (let from = 0; from < runs; from += RUNS_PER_SEED) {
      const numRuns = Math.min(RUNS_PER_SEED, runs - from);
      const own = seed + from / RUNS_PER_SEED;
      try {
        law.check({ seed: own, numRuns });
      } catch (thrown) {
        throw new Error(`${name} does not hold, with the seed ${own} of fast-check.`, { cause: thrown });
      }
      done += numRuns;
    }
    onProgress(`${name}: ${runs} runs hold`);
  }
  return done;
}
