import type { Cancel, Clock } from '../../base/clock.ts';
import { PUBLISH_LIMITS } from './limits.ts';

/** When the next heartbeat is due: every 15 s, and once things have settled after a change. */
export class Pulse {
  readonly #clock: Clock;
  readonly #beat: () => void;
  #next: Cancel | undefined;
  /** The next beat tells of a change, and is not put off by more of them. */
  #soon = false;

  constructor(clock: Clock, beat: () => void) {
    this.#clock = clock;
    this.#beat = beat;
  }

  start(): void {
    this.#fire();
  }

  changed(): void {
    if (this.#soon || this.#next === undefined) return;
    this.#soon = true;
    this.#in(PUBLISH_LIMITS.settleMs);
  }

  stop(): void {
    this.#next?.();
    this.#next = undefined;
  }

  #fire(): void {
    this.#soon = false;
    this.#in(PUBLISH_LIMITS.heartbeatMs);
    this.#beat();
  }

  #in(delayMs: number): void {
    this.#next?.();
    this.#next = this.#clock.after(delayMs, () => this.#fire());
  }
}
