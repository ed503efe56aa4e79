import { createHmac, timingSafeEqual } from 'node:crypto';
import { concat, fromBase64Url, toBase64Url, utf8 } from '../src/base/bytes.ts';
import type { Clock, EpochMs } from '../src/base/clock.ts';
import type { Random } from '../src/base/random.ts';
import type { RelayLimits } from './limits.ts';

/** Bytes of the moment it was given, of dice, and of the code that proves that it was given here for this room. */
const PARTS = { time: 6, dice: 10, code: 20 } as const;
const BYTES = PARTS.time + PARTS.dice + PARTS.code;
const SECRET_BYTES = 32;

/**
 * One-use words that a proof has to name, each good for one room and a short time. Nothing is kept of one that was only
 * asked for: a stranger who asks for a million would push out those of honest devices. Kept are those that were spent.
 */
export class Challenges {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #goodMs: number;
  readonly #spentMax: number;
  readonly #secret: Uint8Array;
  /** When each was given, in the order they were spent. */
  readonly #spent = new Map<string, EpochMs>();
  /** None that was given by then is good any more: of those it is not known which were spent. */
  #deadMs: EpochMs = -1;

  constructor(clock: Clock, random: Random, limits: Pick<RelayLimits, 'challengesMax' | 'challengeMs'>) {
    this.#clock = clock;
    this.#random = random;
    this.#goodMs = limits.challengeMs;
    this.#spentMax = limits.challengesMax;
    this.#secret = random.bytes(SECRET_BYTES);
  }

  give(room: string): string {
    const time = new Uint8Array(PARTS.time);
    let rest = Math.floor(this.#clock.nowMs());
    for (let at = PARTS.time - 1; at >= 0; at -= 1) {
      time[at] = rest % 256;
      rest = Math.floor(rest / 256);
    }
    const said = concat(time, this.#random.bytes(PARTS.dice));
    return toBase64Url(concat(said, this.#codeOf(said, room)));
  }

  /** True once, for the room it was given for. */
  take(challenge: string, room: string): boolean {
    const bytes = fromBase64Url(challenge);
    if (bytes?.length !== BYTES) return false;
    const said = bytes.subarray(0, BYTES - PARTS.code);
    if (!timingSafeEqual(bytes.subarray(BYTES - PARTS.code), this.#codeOf(said, room))) return false;
    const givenMs = said.subarray(0, PARTS.time).reduce((sum, byte) => sum * 256 + byte, 0);
    if (this.#clock.nowMs() - givenMs >= this.#goodMs || givenMs <= this.#deadMs) return false;
    // The bytes say the same in one text only, so that no other spelling of it is another one.
    const name = toBase64Url(bytes);
    if (this.#spent.has(name)) return false;
    this.#spend(name, givenMs);
    return true;
  }

  #spend(name: string, givenMs: EpochMs): void {
    this.#spent.set(name, givenMs);
    const [oldest] = this.#spent;
    if (this.#spent.size <= this.#spentMax || oldest === undefined) return;
    this.#spent.delete(oldest[0]);
    this.#deadMs = Math.max(this.#deadMs, oldest[1]);
  }

  #codeOf(said: Uint8Array, room: string): Uint8Array {
    const code = createHmac('sha256', this.#secret)
      .update(concat(said, utf8(room)))
      .digest();
    return new Uint8Array(code.subarray(0, PARTS.code));
  }
}
