import type { Cancel, Clock, EpochMs } from '../../base/clock.ts';
import { PUBLISH_LIMITS } from './limits.ts';

export interface PaceParts {
  readonly clock: Clock;
  /** One publication. Never rejects. */
  readonly run: () => Promise<void>;
  /** What is left after it: nothing, more of the same, or something that has to wait. */
  readonly left: () => 'nothing' | 'more' | 'stuck';
}

/**
 * When something is published: the first change after a pause at the end of its turn, the next ones together after 25 ms,
 * and more of them only so fast that most of the time is left to those who wait for an answer.
 */
export class Pace {
  readonly #parts: PaceParts;
  #state: 'waiting' | 'running' | 'stopped' = 'waiting';
  #cancel: Cancel | undefined;
  #busy: Promise<void> | undefined;
  /** Asked while it was at work. */
  #again = false;
  /** When the next publication may begin. */
  #nextMs: EpochMs = 0;
  #workMs = 0;

  constructor(parts: PaceParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#state = 'running';
    this.wake();
  }

  /** Something is to be told. */
  wake(): void {
    this.#again = this.#busy !== undefined;
    if (this.#state !== 'running' || this.#again || this.#cancel !== undefined) return;
    this.#in(Math.max(this.#nextMs - this.#parts.clock.nowMs(), 0));
  }

  /** Something must be told before anything else is: what is waited for is waited for no more. */
  hurry(): void {
    this.#waitNoMore();
    this.wake();
  }

  /** Not before so long; unless it is due earlier already. */
  later(delayMs: number): void {
    if (this.#cancel !== undefined || this.#state !== 'running') return;
    this.#cancel = this.#parts.clock.after(delayMs, () => {
      this.#cancel = undefined;
      this.wake();
    });
  }

  /** Milliseconds in which nobody else could do anything. */
  worked(ms: number): void {
    this.#workMs += ms;
  }

  /** Resolves when nothing is under way any more, and begins nothing after it. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#waitNoMore();
    await this.#busy;
  }

  #in(delayMs: number): void {
    const { clock } = this.#parts;
    if (delayMs > 0) {
      this.#cancel = clock.after(delayMs, () => this.#begin());
      return;
    }
    let live = true;
    this.#cancel = () => {
      live = false;
    };
    clock.soon(() => {
      if (live) this.#begin();
    });
  }

  #begin(): void {
    this.#cancel = undefined;
    if (this.#state !== 'running') return;
    this.#again = false;
    this.#workMs = 0;
    this.#busy = this.#parts.run().finally(() => this.#ended());
  }

  #ended(): void {
    this.#busy = undefined;
    const pauseMs = Math.max(PUBLISH_LIMITS.coalesceMs, PUBLISH_LIMITS.pausePerWork * this.#workMs);
    this.#nextMs = this.#parts.clock.nowMs() + pauseMs;
    const left = this.#parts.left();
    if (left === 'stuck') this.later(PUBLISH_LIMITS.againMs);
    else if (left === 'more' || this.#again) this.wake();
  }

  #waitNoMore(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
