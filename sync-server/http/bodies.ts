import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import { callerName } from '../caller.ts';
import type { Core } from '../core.ts';
import { Refusal, type Exchange } from './exchange.ts';
import { requireMember } from './members.ts';

/** Large bodies on their way, in and out: each may hold 32 MiB of memory for as long as its caller is slow. */
export class Bodies {
  readonly #core: Core;
  readonly #byMember = new Map<string, number>();
  #total = 0;

  constructor(core: Core) {
    this.#core = core;
  }

  /**
   * Counts an exchange until it ends, and ends it in time.
   *
   * Throws: `Refusal` 429 when too many are on their way, 401 and 403 for who is no member.
   */
  enter(exchange: Exchange): void {
    const { clock, limits } = this.#core;
    const name = callerName(requireMember(this.#core, exchange));
    const own = this.#byMember.get(name) ?? 0;
    if (this.#total >= limits.bodiesMax || own >= limits.bodiesPerMemberMax)
      throw new Refusal(429, CLOSE_CODES['too-fast'].sentence);
    this.#total += 1;
    this.#byMember.set(name, own + 1);
    const { response } = exchange;
    const cancel = clock.after(limits.bodyMsMax, () => response.destroy());
    response.once('close', () => {
      cancel();
      this.#leave(name);
    });
  }

  #leave(name: string): void {
    this.#total -= 1;
    const left = (this.#byMember.get(name) ?? 1) - 1;
    if (left > 0) this.#byMember.set(name, left);
    else this.#byMember.delete(name);
  }
}
