import type { Clock } from '../../base/clock.ts';
import type { Seen } from '../../model/decision.ts';
import { PUBLISH_LIMITS } from './limits.ts';

/** The heartbeat that stands in the head (DC-5): another one with whatever else is new there, and from time to time. */
export class HeadBeat {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #make: () => Seen;
  #said: { readonly seen: Seen; readonly atMonotonicMs: number } | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>, make: () => Seen) {
    this.#clock = clock;
    this.#make = make;
  }

  get newest(): Seen | undefined {
    return this.#said?.seen;
  }

  get isDue(): boolean {
    const { atMonotonicMs } = this.#said ?? {};
    return atMonotonicMs === undefined || this.#clock.monotonicMs() - atMonotonicMs >= PUBLISH_LIMITS.headBeatMs;
  }

  renew(): void {
    this.#said = { seen: this.#make(), atMonotonicMs: this.#clock.monotonicMs() };
  }
}
