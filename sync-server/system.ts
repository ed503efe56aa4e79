import { neverFalling, type Clock } from '../src/base/clock.ts';

/** The machine's time. The timers keep no process alive: sockets do. */
export const nodeClock: Clock = {
  nowMs: neverFalling(() => Date.now()),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
  soon: (run) => void setImmediate(run),
};
