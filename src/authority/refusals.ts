import type { EpochMs } from '../base/clock.ts';
import type { Core } from './core.ts';
import { AUTHORITY_LIMITS } from './options.ts';

/** Counts input that changes nothing, and audits it at a bounded rate (DC-7). */
export class Refusals {
  readonly #core: Core;
  #windowFromMs: EpochMs = 0;
  #inWindow = 0;
  #uncounted = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Whether it got an audit entry of its own; that is stored with the next commit. */
  count(device: string, n: number | null, why: string): boolean {
    const nowMs = this.#core.nowMs();
    if (nowMs - this.#windowFromMs >= 60_000) {
      this.#windowFromMs = nowMs;
      this.#inWindow = 0;
    }
    this.#uncounted += 1;
    if (this.#inWindow >= AUTHORITY_LIMITS.refusalsPerMinute) return false;
    this.#inWindow += 1;
    this.#core.store.stage({
      kind: 'decision-refused',
      device: device.slice(0, 64),
      dn: n,
      why,
      count: this.#uncounted,
    });
    this.#uncounted = 0;
    return true;
  }
}
