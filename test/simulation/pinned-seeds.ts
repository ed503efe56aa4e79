import type { Mode } from './rates.ts';

export interface PinnedSeed {
  readonly seed: number;
  readonly mode: Mode;
  readonly steps: number;
  /** What it found. */
  readonly found: string;
}

/** Seeds that failed once; they run before every other. */
export const PINNED_SEEDS: readonly PinnedSeed[] = [
  { seed: 54, mode: 'safety', steps: 375, found: 'what needs an action did not fall when a person settled its revert' },
  { seed: 71, mode: 'safety', steps: 375, found: 'an applied action that late evidence denied stops its lane' },
  { seed: 110, mode: 'safety', steps: 375, found: 'an approval was taken back while another one stood' },
  { seed: 271, mode: 'safety', steps: 375, found: 'an attempt that was void gives its number to another version' },
  { seed: 1346, mode: 'safety', steps: 375, found: 'an action was made anew as what stood there already' },
];
