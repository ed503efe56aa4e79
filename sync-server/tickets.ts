import { toBase64Url } from '../src/base/bytes.ts';
import type { Clock, EpochMs } from '../src/base/clock.ts';
import type { Random } from '../src/base/random.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Member } from './caller.ts';
import type { RelayLimits } from './limits.ts';

const TICKET_BYTES = 32;

/** Short-lived words for HTTP, so that not every blob costs a proof. In memory: a restart ends them all. */
export class Tickets {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #goodMs: number;
  readonly #given: BoundedMap<string, { readonly caller: Member; readonly untilMs: EpochMs }>;

  constructor(clock: Clock, random: Random, limits: Pick<RelayLimits, 'ticketsMax' | 'ticketMs'>) {
    this.#clock = clock;
    this.#random = random;
    this.#goodMs = limits.ticketMs;
    this.#given = new BoundedMap(limits.ticketsMax);
  }

  give(caller: Member): { readonly ticket: string; readonly expiresMs: number } {
    const ticket = toBase64Url(this.#random.bytes(TICKET_BYTES));
    this.#given.set(ticket, { caller, untilMs: this.#clock.nowMs() + this.#goodMs });
    return { ticket, expiresMs: this.#goodMs };
  }

  callerOf(ticket: string): Member | undefined {
    const given = this.#given.get(ticket);
    if (given === undefined || this.#clock.nowMs() >= given.untilMs) return undefined;
    return given.caller;
  }

  /** Ends the tickets of those that nobody stands by any more. */
  sweep(gone: (caller: Member) => boolean): void {
    this.#given.sweep(({ caller }) => gone(caller));
  }
}
