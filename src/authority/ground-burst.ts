import type { EpochMs } from '../base/clock.ts';
import type { Resource } from '../model/content.ts';
import type { ActionId } from '../model/ids.ts';

const BURST = {
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
  /** How often each path is in the window. Thousands of files can change at once: each enters and leaves it once. */
  const paths = new Map<Resource, number>();
  let [from, taken] = [0, 0];
  for (const [at, last] of sorted.entries()) {
    for (const path of last.paths) paths.set(path, (paths.get(path) ?? 0) + 1);
    for (; last.atMs - (sorted[from]?.atMs ?? 0) > BURST.windowMs; from += 1) leave(paths, sorted[from]?.paths ?? []);
    if (paths.size <= BURST.pathsMax) continue;
    for (const { id } of sorted.slice(Math.max(from, taken), at + 1)) found.add(id);
    taken = at + 1;
  }
  return found;
}

function leave(window: Map<Resource, number>, paths: readonly Resource[]): void {
  for (const path of paths) {
    const left = (window.get(path) ?? 1) - 1;
    if (left === 0) window.delete(path);
    else window.set(path, left);
  }
}
