import type { Cancel, Clock, EpochMs } from '../base/clock.ts';

interface Timer {
  readonly atMs: EpochMs;
  readonly order: number;
  run(): void;
}

/** A clock that moves only when it is told to. Timers due at one time run in the order they were set. */
export class FakeClock implements Clock {
  #nowMs: EpochMs;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(options: { readonly nowMs?: EpochMs } = {}) {
    this.#nowMs = options.nowMs ?? Date.UTC(2026, 0, 1);
  }

  nowMs(): EpochMs {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): Cancel {
    const timer: Timer = { atMs: this.#nowMs + delayMs, order: this.#order++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** Lets time pass, timer by timer. What a timer's promise leads to runs after the caller awaits something. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let timer = this.#next(untilMs); timer !== undefined; timer = this.#next(untilMs)) {
      this.#timers.delete(timer);
      this.#nowMs = Math.max(this.#nowMs, timer.atMs);
      timer.run();
    }
    this.#nowMs = untilMs;
  }

  #next(untilMs: EpochMs): Timer | undefined {
    const due = [...this.#timers].filter((timer) => timer.atMs <= untilMs);
    return due.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
  }
}
