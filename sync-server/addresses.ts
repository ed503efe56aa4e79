import type { Clock } from '../src/base/clock.ts';
import { BoundedMap } from './bounded-map.ts';
import { Bucket } from './bucket.ts';
import type { RelayLimits } from './limits.ts';

/** What each address takes of the relay: counted before any of its bytes are read. */
export class Addresses {
  readonly #limits: RelayLimits;
  readonly #clock: Clock;
  readonly #requests: BoundedMap<string, Bucket>;
  readonly #sockets = new Map<string, number>();
  #total = 0;

  constructor(limits: RelayLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#requests = new BoundedMap(limits.addressesMax);
  }

  get sockets(): number {
    return this.#total;
  }

  /** May it ask once more? */
  mayAsk(address: string): boolean {
    const bucket = this.#requests.get(address) ?? new Bucket(this.#limits.requests, this.#clock.nowMs());
    this.#requests.set(address, bucket);
    return bucket.take(1, this.#clock.nowMs()) === 0;
  }

  /** A place for a socket, to be given back once; `undefined` when there is none. */
  takePlace(address: string): (() => void) | undefined {
    const open = this.#sockets.get(address) ?? 0;
    if (this.#total >= this.#limits.connectionsMax || open >= this.#limits.connectionsPerAddressMax) return undefined;
    this.#total += 1;
    this.#sockets.set(address, open + 1);
    return () => this.#giveBack(address);
  }

  #giveBack(address: string): void {
    this.#total -= 1;
    const left = (this.#sockets.get(address) ?? 1) - 1;
    if (left > 0) this.#sockets.set(address, left);
    else this.#sockets.delete(address);
  }
}
