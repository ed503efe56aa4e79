import { messageOf } from '../../../src/base/errors.ts';
import { isChecked } from '../checked.ts';
import { makeDice } from '../dice.ts';
import { drawRates, type Rates } from '../rates.ts';
import { replayOf } from '../replay.ts';
import { bundleWorker, runWorker } from '../workers.ts';
import type { Mutant } from './mutant.ts';
import { plant } from './plant.ts';

const HUNT_LIMITS = {
  /** Seeds of one mutant: some twenty seconds of one core when none of them finds it. */
  seedsMax: 80,
  /** Steps of one seed, before it heals. */
  steps: 375,
  /** Seeds looked at for those that a mutant wants: one in a hundred has three rare features at once. */
  lookedAtMax: 100_000,
  /** Milliseconds of one mutant: a planted bug can make the simulation run in circles. */
  msMax: 600_000,
} as const;

export interface Find {
  readonly seed: number;
  readonly step: number;
  /** The check that failed, and what it said. */
  readonly what: string;
  readonly why: string;
}

export interface Hunted {
  readonly mutant: Mutant;
  readonly find: Find | undefined;
  readonly seeds: number;
  readonly steps: number;
  /** Seeds in which something threw before a check failed: they count for nothing. */
  readonly threw: number;
  /** What stood in the way of a fair hunt. */
  readonly unfair: string | undefined;
}

/**
 * Runs one planted bug until a check of the simulator fails. The same seed must pass without the bug: what fails
 * without it was not found.
 */
export async function hunt(mutant: Mutant, { from, sound }: { from: number; sound: string }): Promise<Hunted> {
  const { mode = 'safety', steps = HUNT_LIMITS.steps } = mutant;
  const seeds = seedsFor(mutant, from);
  const worker = await bundleWorker([plant(mutant)]);
  try {
    const hunting = { seeds: seeds.join(','), mode, steps, find: true, msMax: HUNT_LIMITS.msMax };
    const report = await runWorker(worker.path, hunting).catch((error: unknown) => messageOf(error));
    if (typeof report === 'string')
      return {
        mutant,
        find: undefined,
        seeds: 0,
        steps: 0,
        threw: 0,
        unfair: `It did not end: ${report.slice(0, 200)}`,
      };
    const found = report.failures.find((one) => isChecked(one));
    const counts = { mutant, seeds: report.seeds, steps: report.steps };
    const threw = report.failures.length - (found === undefined ? 0 : 1);
    if (found?.failure === undefined) return { ...counts, threw, find: undefined, unfair: undefined };
    const { seed, failure } = found;
    const without = await runWorker(sound, { seeds: String(seed), mode, steps });
    const passes = without.seeds === 1 && without.failures.length === 0;
    const unfair = passes ? undefined : `It fails without the bug, too: ${replayOf({ seed, steps, mode })}`;
    return { ...counts, threw, find: passes ? { seed, ...failure } : undefined, unfair };
  } finally {
    worker.remove();
  }
}

/** The next seeds whose swarm has what the mutant wants. */
export function seedsFor(
  { mode = 'safety', net = false, seedsMax = HUNT_LIMITS.seedsMax, wants = () => true }: Mutant,
  from: number,
): number[] {
  // A seed that is about one thing leaves most of the others out.
  const fits = (rates: Rates): boolean =>
    rates.subject === null &&
    (net ? rates.publish === 'net' : rates.publish === 'none' && !rates.realCrypto) &&
    wants(rates);
  const seeds: number[] = [];
  for (let seed = from; seeds.length < seedsMax && seed < from + HUNT_LIMITS.lookedAtMax; seed++)
    if (fits(drawRates(makeDice(seed, mode).split('rates'), mode))) seeds.push(seed);
  return seeds;
}
