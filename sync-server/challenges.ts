import { toBase64Url } from '../src/base/bytes.ts';
import type { Clock, EpochMs } from '../src/base/clock.ts';
import type { Random } from '../src/base/random.ts';
import { BoundedMap } from './bounded-map.ts';
import type { RelayLimits } from './limits.ts';

/** Bits enough that nobody meets one by guessing while it is good. */
const CHALLENGE_BYTES = 24;

/** One-use words that a proof has to name, each good for one room and a short time. */
export class Challenges {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #goodMs: number;
  readonly #given: BoundedMap<string, { readonly room: string; readonly untilMs: EpochMs }>;

  constructor(clock: Clock, random: Random, limits: Pick<RelayLimits, 'challengesMax' | 'challengeMs'>) {
    this.#clock = clock;
    this.#random = random;
    this.#goodMs = limits.challengeMs;
    this.#given = new BoundedMap(limits.challengesMax);
  }

  give(room: string): string {
    const challenge = toBase64Url(this.#random.bytes(CHALLENGE_BYTES));
    this.#given.set(challenge, { room, untilMs: this.#clock.nowMs() + this.#goodMs });
    return challenge;
  }

  /** True once, for the room it was given for. */
  take(challenge: string, room: string): boolean {
    const given = this.#given.get(challenge);
    this.#given.delete(challenge);
    return given !== undefined && given.room === room && this.#clock.nowMs() < given.untilMs;
  }
}
