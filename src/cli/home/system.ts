import { neverFalling, type Clock } from '../../base/clock.ts';

/** Milliseconds `setTimeout` can count; it fires at once for more. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's time: the wall clock for `nowMs`, its own monotonic timers for delays. */
export const systemClock: Clock = {
  nowMs: neverFalling(() => Date.now()),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const nowMs = Math.min(leftMs, TIMER_MS_MAX);
      timer = setTimeout(() => (leftMs > nowMs ? wait(leftMs - nowMs) : run()), Math.max(0, nowMs));
    };
    wait(delayMs);
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};
