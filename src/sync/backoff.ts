import type { Random } from '../base/random.ts';

/** Pauses that double from the first to the longest, each shortened by chance so that many do not come back at once. */
export interface Pauses {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The pause before try number `tries` (from 1): between half of it and all of it. */
export function pauseMs(pauses: Pauses, tries: number, random: Random): number {
  const full = Math.min(pauses.longestMs, pauses.firstMs * 2 ** Math.min(tries - 1, 30));
  return Math.round(full * (0.5 + fraction(random) / 2));
}

/** From 0 up to 1. */
function fraction(random: Random): number {
  const [high = 0, low = 0] = random.bytes(2);
  return (high * 256 + low) / 65_536;
}
