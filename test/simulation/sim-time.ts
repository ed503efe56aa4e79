import type { Cancel, Clock, EpochMs } from '../../src/base/clock.ts';
import { neverFalling } from '../../src/base/clock.ts';
import type { SimTime } from './contract.ts';

interface Timer {
  readonly owner: string;
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

interface Task {
  readonly owner: string;
  readonly run: () => void;
}

const START_MS = Date.UTC(2026, 0, 1);

/** Time that moves to the next timer when the scheduler says so, and the tasks that wait for the end of a turn. */
export class Time implements SimTime {
  #nowMs = START_MS;
  #order = 0;
  #timers: Timer[] = [];
  #tasks: Task[] = [];
  readonly #errors = new Map<string, number>();
  /** Milliseconds by which every clock but the authority's is off besides. */
  readonly #deviceClockMs: number;

  constructor({ deviceClockMs = 0 }: { readonly deviceClockMs?: number } = {}) {
    this.#deviceClockMs = deviceClockMs;
  }

  nowMs(): EpochMs {
    return this.#nowMs;
  }

  clock(owner: string): Clock {
    // A machine's clock may be wrong by years, but the port promises that it never falls while a process lives.
    const shiftMs = owner.startsWith('authority') ? 0 : this.#deviceClockMs;
    const nowMs = neverFalling(() => this.#nowMs + shiftMs + (this.#errors.get(owner) ?? 0));
    return {
      nowMs,
      monotonicMs: () => this.#nowMs,
      after: (delayMs, run) => this.#after(owner, delayMs, run),
      soon: (run) => void this.#tasks.push({ owner, run }),
    };
  }

  setError(owner: string, errorMs: number): void {
    this.#errors.set(owner, errorMs);
  }

  end(owner: string): void {
    this.#timers = this.#timers.filter((timer) => timer.owner !== owner);
    this.#tasks = this.#tasks.filter((task) => task.owner !== owner);
  }

  get tasks(): number {
    return this.#tasks.length;
  }

  get timers(): number {
    return this.#timers.length;
  }

  /** Runs the task that waits longest. */
  runTask(): string {
    const task = this.#tasks.shift();
    task?.run();
    return task?.owner ?? '';
  }

  /** Goes to the next timer and runs it. */
  runTimer(): string {
    const next = this.#next();
    if (next === undefined) return '';
    this.#timers.splice(this.#timers.indexOf(next), 1);
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    next.run();
    return `${next.owner} +${this.#nowMs - START_MS}`;
  }

  /** The machine sleeps: all timers that should have run meanwhile are late. */
  standStill(forMs: number): void {
    this.#nowMs += forMs;
  }

  /** Lets time pass up to the next timer at most. */
  pass(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    this.#nowMs = Math.min(untilMs, this.#next()?.atMs ?? untilMs);
  }

  #after(owner: string, delayMs: number, run: () => void): Cancel {
    const timer: Timer = { owner, atMs: this.#nowMs + delayMs, order: this.#order++, run };
    this.#timers.push(timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at !== -1) this.#timers.splice(at, 1);
    };
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (next === undefined || timer.atMs < next.atMs || (timer.atMs === next.atMs && timer.order < next.order))
        next = timer;
    return next;
  }
}
