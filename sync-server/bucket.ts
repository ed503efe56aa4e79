import type { EpochMs } from '../src/base/clock.ts';

export interface BucketLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket: what may be taken at once, and what comes back every second. It can be in debt. */
export class Bucket {
  readonly #limits: BucketLimits;
  #left: number;
  #atMs: EpochMs;

  constructor(limits: BucketLimits, nowMs: EpochMs) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#atMs = nowMs;
  }

  /** Takes so much, and answers the milliseconds until the debt is paid: 0 when there is none. */
  take(count: number, nowMs: EpochMs): number {
    const { burst, perSecond } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#atMs) * perSecond) / 1000) - count;
    this.#atMs = nowMs;
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1000) / perSecond);
  }
}
