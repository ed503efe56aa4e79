import type { Dice } from '../contract.ts';
import type { Rates } from '../rates.ts';
import type { Stage } from '../stage.ts';
import { wrongIn } from './compare.ts';
import { recordsOfVersionOne } from './records.ts';
import { renew } from './renew.ts';

/** A life that goes as version 1 let it go, until one of its starts finds its journal of that version and renews it. */
export interface OlderLife {
  /** Rows after which the next start does. */
  readonly rows: number;
  /** What can happen from then on. */
  readonly rates: Rates;
}

/** It takes a start to renew a journal, so that such lives end often enough. */
const STOP_WEIGHT = 1;

/** In half of the seeds in which nothing is published: documents of version 1 are not simulated. */
export function drawOlder(dice: Dice, rates: Rates): OlderLife | undefined {
  if (rates.mode !== 'upgrade' || rates.publish !== 'none' || !dice.chance(50)) return undefined;
  const weights = { ...rates.weights, stop: Math.max(rates.weights.stop, STOP_WEIGHT) };
  return { rows: 10 + dice.pick(110), rates: { ...rates, weights } };
}

/** The same rates without what came after version 1. */
export function asVersionOne(rates: Rates): Rates {
  return {
    ...rates,
    weights: { ...rates.weights, standing: 0 },
    decide: { ...rates.decide, edits: false, lists: false, plans: false },
    tools: { coalesces: false, mints: false, branches: false },
    hostPlans: false,
  };
}

/**
 * The program has been replaced: the journal is put back to what version 1 would have left of this life, and renewed as
 * the product does it. Answers a line for the trace; from here on everything can happen.
 */
export function renewOlder(stage: Stage): string {
  const { chronicle, disk, fail, household, occurred, older } = stage;
  if (older === undefined) return '';
  stage.older = undefined;
  stage.rates = older.rates;
  const records = recordsOfVersionOne(disk);
  if (!records.ok) {
    occurred(`older journal: none, for ${records.error}`);
    return `not one of version 1: ${records.error}; `;
  }
  const renewed = renew(disk, records.value, household.crypto.sha256);
  for (const wrong of wrongIn(renewed, { rows: disk.rows, records: records.value }, chronicle))
    fail('invariant 23: a journal of an older version means the same to this one', wrong);
  disk.renewed(renewed.records);
  const edges = renewed.records.length - records.value.length;
  occurred(`older journal: renewed${edges > 0 ? ', with what needs what' : ''}`);
  return `renews a journal of version 1, ${disk.rows.length} rows, ${edges} new records; `;
}
