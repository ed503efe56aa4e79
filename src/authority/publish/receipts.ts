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

  constructor(core: Core, blobs: Blobs) {
    this.#core = core;
    this.#blobs = blobs;
  }

  /** Every record there should be, by its id. */
  *ids(): Generator<string> {
    for (const [device, answers] of this.#of) for (const n of answers.keys()) yield receiptId(device, n);
  }

  /** Was this very decision answered? */
  has(device: DeviceId, n: number, decision: Digest): boolean {
    return this.#of.get(device)?.get(n)?.decision === decision;
  }

  add(device: DeviceId, answered: Answered): string {
    const answers = this.#of.get(device) ?? new Map<number, Answered>();
    this.#of.set(device, answers);
    answers.set(answered.n, answered);
    return receiptId(device, answered.n);
  }

  /** Forgets what is in the inbox no more; answers the ids of those records. */
  keep(device: DeviceId, numbers: ReadonlySet<number>): readonly string[] {
    const answers = this.#of.get(device);
    const gone = [...(answers?.keys() ?? [])].filter((n) => !numbers.has(n));
    for (const n of gone) answers?.delete(n);
    if (answers?.size === 0) this.#of.delete(device);
    return gone.map((n) => receiptId(device, n));
  }

  draft(id: string, key: ContentKey): LedgerDraft | undefined {
    const [device, n] = id.split('/');
    // reason: the id of a receipt is made of these two
    const answered = this.#of.get(device as DeviceId)?.get(Number(n));
    if (answered === undefined) return undefined;
    const { receipt } = answered;
    // reason: as above
    const of = device as DeviceId;
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
}

/** The home's own receipts, out of its own ledger: their form is known. */
function decisionOf({ payload }: SignedText): Digest {
  // reason: this home has signed it as a receipt
  return (parseCanonical(utf8(payload)) as unknown as { readonly decision: Digest }).decision;
}
