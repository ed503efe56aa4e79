import type { EpochMs } from '../base/clock.ts';
import type { Resource } from '../model/content.ts';
import type { ActionId } from '../model/ids.ts';

export const BURST = {
  /** Paths that may change within a window before it counts as one move (GM-4): a person edits fewer by hand. */
  pathsMax: 20,
  windowMs: 2_000,
} as const;

/** An action whose paths are not as it expects them, and when the newest of them was changed. */
export interface Changed {
  readonly id: ActionId;
  readonly paths: readonly Resource[];
  readonly atMs: EpochMs;
}

/** The actions whose paths changed within one window of two seconds that holds more than twenty paths. */
export function changedAtOnce(changed: readonly Changed[]): ReadonlySet<ActionId> {
  const sorted = changed.toSorted((a, b) => a.atMs - b.atMs);
  const found = new Set<ActionId>();
  let from = 0;
  for (const [at, last] of sorted.entries()) {
    while (last.atMs - (sorted[from]?.atMs ?? 0) > BURST.windowMs) from += 1;
    const within = sorted.slice(from, at + 1);
    const paths = new Set(within.flatMap((each) => each.paths));
    if (paths.size > BURST.pathsMax) for (const { id } of within) found.add(id);
  }
  return found;
}
