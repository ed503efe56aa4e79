import type { Cancel, Clock, EpochMs } from '../base/clock.ts';
import { LINK_LIMITS } from './link-limits.ts';

export interface LivenessParts {
  readonly clock: Clock;
  /** Says something that comes back: our own presence, which a relay sends to everybody and us. */
  readonly ask: () => void;
  readonly onDead: () => void;
}

/**
 * Is the other side of a socket still there? A socket does not tell: a laptop that slept keeps one that leads nowhere.
 * It counts questions without an answer and not time without a word, since the timers of a page in the background come
 * once a minute, and those of a machine that slept too late.
 */
export class Liveness {
  readonly #parts: LivenessParts;
  #heard = true;
  #misses = 0;
  #cancel: Cancel = () => undefined;

  constructor(parts: LivenessParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#heard = true;
    this.#misses = 0;
    this.#next(LINK_LIMITS.renewMs);
  }

  /** Anything came. */
  heard(): void {
    this.#heard = true;
  }

  stop(): void {
    this.#cancel();
  }

  #next(delayMs: number): void {
    this.#cancel();
    const dueMs = this.#parts.clock.nowMs() + delayMs;
    this.#cancel = this.#parts.clock.after(delayMs, () => this.#tick(dueMs));
  }

  #tick(dueMs: EpochMs): void {
    this.#misses = this.#heard ? 0 : this.#misses + 1;
    if (this.#misses >= LINK_LIMITS.missesMax) {
      this.#parts.onDead();
      return;
    }
    const late = this.#parts.clock.nowMs() - dueMs >= LINK_LIMITS.renewMs;
    // Whoever wakes up wants to know soon, and one question is enough.
    if (late) this.#misses = LINK_LIMITS.missesMax - 1;
    this.#heard = false;
    this.#next(late ? LINK_LIMITS.wakeMs : LINK_LIMITS.renewMs);
    this.#parts.ask();
  }
}
