import type { Cancel, Clock, EpochMs } from '../base/clock.ts';

interface Timer {
  /** On the monotonic clock. */
  readonly atMs: number;
  readonly order: number;
  run(): void;
}

/**
 * A clock that moves only when it is told to. Timers due at one time run in the order they were set, and keep to the
 * pace of time: a wall clock that jumps moves none of them.
 */
export class FakeClock implements Clock {
  #elapsedMs = 0;
  #wallAheadMs: EpochMs;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(options: { readonly nowMs?: EpochMs } = {}) {
    this.#wallAheadMs = options.nowMs ?? Date.UTC(2026, 0, 1);
  }

  nowMs(): EpochMs {
    return this.#elapsedMs + this.#wallAheadMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer: Timer = { atMs: this.#elapsedMs + delayMs, order: this.#order++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Lets time pass, timer by timer. What a timer's promise leads to runs after the caller awaits something. */
  advance(byMs: number): void {
    const untilMs = this.#elapsedMs + byMs;
    for (let timer = this.#next(untilMs); timer !== undefined; timer = this.#next(untilMs)) {
      this.#timers.delete(timer);
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.atMs);
      timer.run();
    }
    this.#elapsedMs = untilMs;
  }

  /** Somebody sets the wall clock, forward or back, while no time passes. */
  jump(byMs: number): void {
    this.#wallAheadMs += byMs;
  }

  #next(untilMs: number): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.atMs <= untilMs);
    return due.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
  }
}
