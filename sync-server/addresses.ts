import type { Clock } from '../src/base/clock.ts';
import { BoundedMap } from './bounded-map.ts';
import { Bucket, type BucketLimits } from './bucket.ts';
import type { RelayLimits } from './limits.ts';

/** What each address takes of the relay: counted before any of its bytes are read. */
export class Addresses {
  readonly #limits: RelayLimits;
  readonly #clock: Clock;
  readonly #requests: BoundedMap<string, Bucket>;
  readonly #proofs: BoundedMap<string, Bucket>;
  readonly #sockets = new Map<string, number>();
  #total = 0;

  constructor(limits: RelayLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#requests = new BoundedMap(limits.addressesMax);
    this.#proofs = new BoundedMap(limits.addressesMax);
  }

  get sockets(): number {
    return this.#total;
  }

  /** May it ask once more? */
  mayAsk(address: string): boolean {
    return this.#may(this.#requests, this.#limits.requests, address);
  }

  /** May it show one more proof? */
  mayProve(address: string): boolean {
    return this.#may(this.#proofs, this.#limits.proofs, address);
  }

  /** A place for a socket, to be given back once; `undefined` when there is none. */
  takePlace(address: string): (() => void) | undefined {
    const open = this.#sockets.get(address) ?? 0;
    if (this.#total >= this.#limits.connectionsMax || open >= this.#limits.connectionsPerAddressMax) return undefined;
    this.#total += 1;
    this.#sockets.set(address, open + 1);
    return () => this.#giveBack(address);
  }

  #may(buckets: BoundedMap<string, Bucket>, limits: BucketLimits, address: string): boolean {
    const nowMs = this.#clock.nowMs();
    const bucket = buckets.get(address) ?? new Bucket(limits, nowMs);
    buckets.set(address, bucket);
    return bucket.take(1, nowMs) === 0;
  }

  #giveBack(address: string): void {
    this.#total -= 1;
    const left = (this.#sockets.get(address) ?? 1) - 1;
    if (left > 0) this.#sockets.set(address, left);
    else this.#sockets.delete(address);
  }
}
