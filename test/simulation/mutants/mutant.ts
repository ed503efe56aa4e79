import type { Mode, Rates } from '../rates.ts';

/** One planted bug: what a source says is replaced while the simulator is bundled, so no product code knows of it. */
export interface Mutant {
  readonly name: string;
  /** What goes wrong, in one sentence. */
  readonly breaks: string;
  /** The rules it breaks. */
  readonly rules: readonly string[];
  readonly patches: readonly Patch[];
  /** Where it shows soonest; safety when left out. */
  readonly mode?: Mode;
  /** What a seed's swarm must have switched on for the bug to matter; other seeds are left out. */
  readonly wants?: (rates: Rates) => boolean;
  /** It shows only where devices are replicas on a network; all others go without one, which is quicker. */
  readonly net?: boolean;
  /** Seeds tried before it counts as survived; the gate's usual number when left out. */
  readonly seedsMax?: number;
  /** Steps of one seed; the gate's usual number when left out. */
  readonly steps?: number;
}

export interface Patch {
  /** Below the repository's root. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
}
