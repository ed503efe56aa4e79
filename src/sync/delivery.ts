import { messageOf } from '../base/errors.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { pauseMs } from './backoff.ts';
import { PAUSES } from './next-attempt.ts';
import { mayTryAgain } from './retried.ts';

const DELIVERY_LIMITS = {
  /** Objects that wait: of 10,000 open actions one each. They are named, not held, so this is about 2 MB. */
  waitingMax: 10_000,
  /** Objects on their way at once: enough to fill a line with small ones. */
  atOnceMax: 4,
} as const;

export interface DeliveryOptions {
  /** Puts once. What it throws says whether it may be tried again. */
  readonly put: (path: string, bytes: Uint8Array) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits?: { readonly waitingMax: number; readonly atOnceMax: number };
  /** This object will not arrive, and why. It is not tried again. */
  readonly onRefused: (path: string, why: string) => void;
  /**
   * The queue is empty again, after it had more than it may hold: this many were let go, the oldest first. Whoever
   * knows what must be there puts it again.
   */
  readonly onLost: (count: number) => void;
}

/** Objects on their way to the relay, in the order they were put. */
export interface Delivery {
  /** `read` is called when it is sent, again at every try. Fine for what waits or is on its way already. */
  put(path: string, read: () => Uint8Array): void;
  /** Objects not delivered yet. */
  size(): number;
  /** Tries now what pauses. */
  retry(): void;
  /** What waits is let go. */
  close(): void;
}

export function openDelivery(options: DeliveryOptions): Delivery {
  return new Queue(options);
}

type Read = () => Uint8Array;

class Queue implements Delivery {
  readonly #options: DeliveryOptions;
  readonly #limits: { readonly waitingMax: number; readonly atOnceMax: number };
  /** In order; a map keeps that, and finds doubles. */
  #waiting = new Map<string, Read>();
  readonly #underWay = new Map<string, Read>();
  #failures = 0;
  #lost = 0;
  #cancelPause: Cancel | undefined;
  #closed = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#limits = options.limits ?? DELIVERY_LIMITS;
  }

  put(path: string, read: Read): void {
    if (this.#closed || this.#underWay.has(path) || this.#waiting.has(path)) return;
    this.#waiting.set(path, read);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > this.#limits.waitingMax && oldest !== undefined) {
      this.#waiting.delete(oldest);
      this.#lost++;
    }
    this.#next();
  }

  size(): number {
    return this.#waiting.size + this.#underWay.size;
  }

  retry(): void {
    this.#cancelPause?.();
    this.#cancelPause = undefined;
    this.#next();
  }

  close(): void {
    this.#closed = true;
    this.#cancelPause?.();
    this.#waiting.clear();
  }

  #next(): void {
    if (this.#closed || this.#cancelPause !== undefined) return;
    // After a failure one goes ahead: four at a relay that is down would learn the same.
    const atOnceMax = this.#failures === 0 ? this.#limits.atOnceMax : 1;
    for (const [path, read] of this.#waiting) {
      if (this.#underWay.size >= atOnceMax) return;
      this.#waiting.delete(path);
      this.#underWay.set(path, read);
      void this.#send(path, read);
    }
    this.#settle();
  }

  async #send(path: string, read: Read): Promise<void> {
    try {
      await this.#options.put(path, read());
      this.#failures = 0;
    } catch (thrown) {
      // Whatever it is, the table says whether it may be tried again; what is in no table may not.
      if (mayTryAgain(thrown)) this.#later(path, read);
      else if (!this.#closed) this.#options.onRefused(path, messageOf(thrown));
    } finally {
      this.#underWay.delete(path);
    }
    this.#next();
  }

  /** Back to its place before all that wait, and a pause for all. */
  #later(path: string, read: Read): void {
    if (this.#closed) return;
    this.#waiting = new Map([[path, read], ...this.#waiting]);
    if (this.#cancelPause !== undefined) return;
    this.#failures++;
    const pause = pauseMs(PAUSES.unreachable, this.#failures, this.#options.random);
    this.#cancelPause = this.#options.clock.after(pause, () => this.retry());
  }

  #settle(): void {
    if (this.#lost === 0 || this.size() > 0) return;
    const lost = this.#lost;
    this.#lost = 0;
    this.#options.onLost(lost);
  }
}
