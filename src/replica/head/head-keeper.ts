import { openHead, type Head, type RosterEntry } from '../../access/head.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Right } from '../../access/rights.ts';
import type { DeviceId } from '../../model/ids.ts';
import type { SignedText } from '../../model/signed-text.ts';
import type { Core } from '../core.ts';
import { parseSignedText, sameSigned, signedTextJson } from './signed-json.ts';

const KEY = 'head';

/**
 * The newest head this device has seen, kept for good: no window of it ever goes back behind it. Two heads under one
 * number are a home that says two things.
 */
export class HeadKeeper {
  readonly #core: Core;
  readonly #changed: (head: Head) => void;
  #looking = false;
  #newest: { readonly head: Head; readonly signed: SignedText } | undefined;

  constructor(core: Core, changed: (head: Head) => void) {
    this.#core = core;
    this.#changed = changed;
  }

  get head(): Head | undefined {
    return this.#newest?.head;
  }

  /** The device's own right as its home says now; a device that is not on the roster may do nothing. */
  get right(): Right {
    return this.member(this.#core.device)?.right ?? 'view';
  }

  member(device: DeviceId): RosterEntry | undefined {
    return this.head?.roster.find((entry) => entry.device === device);
  }

  /** What this device has kept. */
  async load(): Promise<void> {
    const fact = await this.#core.storage.facts.get(KEY);
    const signed = fact === undefined ? undefined : parseSignedText(fact.value);
    if (signed?.ok === true) await this.take(signed.value);
  }

  /** A head from anywhere. Answers whether it is the newest now. */
  async take(signed: SignedText): Promise<boolean> {
    const { crypto, home, homeKey, storage } = this.#core;
    const opened = openHead(crypto.verify, homeKey, { home, number: 0 }, signed);
    if (!opened.ok) return false;
    const known = this.#newest;
    const { number } = opened.value;
    if (known !== undefined && number < known.head.number) {
      this.#lookAgain(known.head.number);
      return false;
    }
    if (known !== undefined && number === known.head.number) return this.#same(known.signed, signed);
    this.#newest = { head: opened.value, signed };
    const kept = await storage.facts.raise(KEY, { number, value: signedTextJson(signed) });
    if (this.head?.number !== number) return false;
    this.#adopted(opened.value);
    // Another window may have kept one that this one has not seen yet.
    const other = parseSignedText(kept.value);
    return other.ok && !sameSigned(other.value, signed) ? this.take(other.value) : true;
  }

  /**
   * An older head may have been on its way while another window took a newer one. Only a relay that answers with it,
   * when it is asked now, has gone back.
   */
  #lookAgain(seen: number): void {
    if (this.#looking) return;
    this.#looking = true;
    const { alarms, client, run } = this.#core;
    run(async () => {
      try {
        const shown = (await client.head.refresh())?.head.number ?? seen;
        if (shown < seen) alarms.raise({ kind: 'rollback', workspace: null, sentence: rollback(shown, seen) });
      } catch (thrown) {
        // A relay that cannot be asked proves nothing.
        if (!CountersignError.is(thrown)) throw thrown;
      } finally {
        this.#looking = false;
      }
    });
  }

  #same(known: SignedText, signed: SignedText): boolean {
    if (!sameSigned(known, signed)) this.#core.alarms.raise({ kind: 'fork', workspace: null, sentence: FORK });
    return false;
  }

  #adopted(head: Head): void {
    const { alarms, device } = this.#core;
    alarms.clear('too-new', null);
    if (head.roster.some((entry) => entry.device === device)) alarms.clear('revoked', null);
    else alarms.raise({ kind: 'revoked', workspace: null, sentence: REVOKED });
    this.#changed(head);
  }
}

const FORK =
  'The runtime has signed two different states under one number. Do not approve anything before you know why.';
const REVOKED = 'This device was removed on another one. What it decides does not count any more.';

function rollback(number: number, seen: number): string {
  return `The relay shows state ${number} of the home, and this device has seen ${seen}. Somebody went back to an older state.`;
}
