import type { Mode } from './rates.ts';

/** What a big run must have met, besides every transition. A line stands for all that begin with it and a space. */
export const EXPECTED: { readonly always: readonly string[] } & Partial<Record<Mode, readonly string[]>> = {
  always: [],
};

/** What no simulation reaches yet. A line that one has reached leaves this list. */
export const NOT_YET: ReadonlySet<string> = new Set<string>([]);
