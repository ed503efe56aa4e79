import type { Cancel, Clock, EpochMs } from '../../base/clock.ts';

/** Milliseconds between two looks. Idleness is counted in minutes. */
const LOOK_MS = 5_000;

/** Calls `onIdle` once, when nothing was busy for `idleMs`. For homes that nobody started on purpose. */
export function watchIdle(options: {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly busy: () => boolean;
  readonly onIdle: () => void;
}): Cancel {
  const { clock, idleMs } = options;
  let busyAtMs: EpochMs = clock.nowMs();
  let cancel: Cancel | undefined;
  const look = (): void => {
    if (options.busy()) busyAtMs = clock.nowMs();
    if (clock.nowMs() - busyAtMs >= idleMs) return options.onIdle();
    cancel = clock.after(Math.min(LOOK_MS, idleMs), look);
  };
  look();
  return () => cancel?.();
}
