import { neverFalling, type Clock } from '../../base/clock.ts';

/** The page's own clock and timers. */
export function pageClock(): Clock {
  return {
    nowMs: neverFalling(() => Date.now()),
    after(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      return () => clearTimeout(timer);
    },
    soon: (run) => queueMicrotask(run),
  };
}
