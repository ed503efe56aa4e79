import { utf8 } from '../../base/bytes.ts';
import { parseCanonical } from '../../base/canonical-json.ts';
import type { LedgerDraft } from '../../doc/ledger-author.ts';
import type { ContentKey } from '../../doc/keys.ts';
import type { BlobRef } from '../../model/content.ts';
import type { DeviceId, Digest } from '../../model/ids.ts';
import type { LedgerRecord } from '../../model/ledger.ts';
import type { SignedText } from '../../model/signed-text.ts';
import type { Core } from '../core.ts';
import type { Blobs } from './blobs.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import { carried, receiptDraft, receiptId } from './other-records.ts';

interface Answered {
  readonly n: number;
  /** Hash of the decision that it answers; `null` where that stands in a blob. */
  readonly decision: Digest | null;
  readonly receipt: SignedText | BlobRef;
}

/** Receipts for decisions that lie in an inbox: published until the device has taken them out of it (DC-6). */
export class Receipts {
  readonly #core: Core;
  readonly #blobs: Blobs;
  readonly #of = new Map<DeviceId, Map<number, Answered>>();
  /** Those that are published: a ledger that everybody reads is not filled by one device. */
  readonly #shown = new Map<DeviceId, Set<number>>();

  constructor(core: Core, blobs: Blobs) {
    this.#core = core;
    this.#blobs = blobs;
  }

  /** Every record there should be, by its id. */
  *ids(): Generator<string> {
    for (const [device, numbers] of this.#shown) for (const n of numbers) yield receiptId(device, n);
  }

  /** Was this very decision answered? */
  has(device: DeviceId, n: number, decision: Digest): boolean {
    return this.#of.get(device)?.get(n)?.decision === decision;
  }

  /** Answers the ids of the records that change by it: none while enough of this device's are published. */
  add(device: DeviceId, answered: Answered): readonly string[] {
    const answers = this.#of.get(device) ?? new Map<number, Answered>();
    this.#of.set(device, answers);
    answers.set(answered.n, answered);
    const shown = this.#shownOf(device);
    if (shown.size < PUBLISH_LIMITS.receiptsPerDeviceMax) shown.add(answered.n);
    return shown.has(answered.n) ? [receiptId(device, answered.n)] : [];
  }

  /** Forgets what is in the inbox no more, and publishes what waited; answers the ids of the records that change. */
  keep(device: DeviceId, numbers: ReadonlySet<number>): readonly string[] {
    const answers = this.#of.get(device);
    if (answers === undefined) return [];
    const shown = this.#shownOf(device);
    const gone = [...answers.keys()].filter((n) => !numbers.has(n));
    const changed = gone.filter((n) => shown.delete(n));
    for (const n of gone) answers.delete(n);
    if (changed.length > 0) changed.push(...this.#showMore(shown, answers));
    if (answers.size === 0) {
      this.#of.delete(device);
      this.#shown.delete(device);
    }
    return changed.map((n) => receiptId(device, n));
  }

  /** Nobody reads what is answered to a device that was removed; answers the ids of the records that go. */
  forgetRemoved(): readonly string[] {
    const { roster } = this.#core.options;
    const gone = [...this.#of.keys()].filter((device) => roster.device(device)?.revoked !== false);
    return gone.flatMap((device) => this.keep(device, new Set()));
  }

  draft(id: string, key: ContentKey): LedgerDraft | undefined {
    const [device, n] = id.split('/');
    // reason: the id of a receipt is made of these two
    const of = device as DeviceId;
    const answered = this.#of.get(of)?.get(Number(n));
    if (answered === undefined || this.#shown.get(of)?.has(answered.n) !== true) return undefined;
    const { receipt } = answered;
    if ('$blob' in receipt) return receiptDraft(of, answered.n, receipt);
    const { as, bytes } = carried(this.#core, receipt);
    if (bytes !== null && '$blob' in as) this.#blobs.put(key, as.$blob, () => bytes);
    return receiptDraft(of, answered.n, as);
  }

  /**
   * What was published before this start. Of a receipt that is a blob it is not known whether it was delivered: it stays,
   * and the decision gets the same answer once more when it is met in the inbox.
   */
  restore(records: Iterable<LedgerRecord>): void {
    for (const record of records) {
      if (record.type !== 'receipt' || this.#of.get(record.device)?.has(record.n) === true) continue;
      const decision = 'payload' in record.receipt ? decisionOf(record.receipt) : null;
      this.add(record.device, { n: record.n, decision, receipt: record.receipt });
    }
  }

  /** The oldest of those that wait. */
  #showMore(shown: Set<number>, answers: ReadonlyMap<number, Answered>): readonly number[] {
    const waiting = [...answers.keys()].filter((n) => !shown.has(n)).toSorted((a, b) => a - b);
    const more = waiting.slice(0, PUBLISH_LIMITS.receiptsPerDeviceMax - shown.size);
    for (const n of more) shown.add(n);
    return more;
  }

  #shownOf(device: DeviceId): Set<number> {
    const shown = this.#shown.get(device) ?? new Set<number>();
    this.#shown.set(device, shown);
    return shown;
  }
}

/** The home's own receipts, out of its own ledger: their form is known. */
function decisionOf({ payload }: SignedText): Digest {
  // reason: this home has signed it as a receipt
  return (parseCanonical(utf8(payload)) as unknown as { readonly decision: Digest }).decision;
}
