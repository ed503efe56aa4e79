import * as Y from 'yjs';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { utf8 } from '../../../src/base/bytes.ts';
import { LedgerReader } from '../../../src/doc/ledger-reader.ts';
import type { LedgerReceipt, LedgerRecord } from '../../../src/model/ledger.ts';
import type { Receipt } from '../../../src/trust/receipt.ts';
import type { Household } from '../contract.ts';
import type { Truth } from './truth.ts';

/**
 * Stands where the authority hands over, and holds what it hands over against the journal at that very moment: nothing
 * is told that is not durable (invariant 13).
 */
export class Observer {
  readonly problems: string[] = [];
  /** Every record of an action that it handed over, as text. */
  readonly published = new Set<string>();
  readonly #household: Household;
  readonly #truth: Truth;
  readonly #readers = new Map<string, { readonly doc: Y.Doc; readonly reader: LedgerReader }>();

  constructor(household: Household, truth: Truth) {
    this.#household = household;
    this.#truth = truth;
  }

  handed(room: string, bytes: Uint8Array, what: 'open' | 'update'): void {
    if (!room.startsWith('q/')) return;
    if (what === 'open') this.#readers.delete(room);
    const { doc, reader } = this.#readers.get(room) ?? this.#open(room);
    const changed = new Set<string>();
    const end = reader.onChange((ids) => ids.forEach((id) => changed.add(id)));
    Y.applyUpdate(doc, bytes);
    end();
    for (const id of changed) {
      const opened = reader.open(id);
      if (opened?.ok === true) this.#look(opened.value.record);
    }
  }

  #open(room: string) {
    const { crypto, home, signer, workspace } = this.#household;
    const doc = new Y.Doc();
    const reader = new LedgerReader(doc, {
      crypto,
      homeKey: signer.publicKey,
      place: { home, workspace, name: room },
      keys: () => this.#household.keys(),
    });
    const opened = { doc, reader };
    this.#readers.set(room, opened);
    return opened;
  }

  #look(record: LedgerRecord): void {
    if (record.type === 'action') this.published.add(JSON.stringify(record));
    if (!this.#truth.isKnown) return;
    if (record.type === 'receipt') this.#receipt(record);
    if (record.type === 'sum' && record.size > 0 && this.#truth.rootAt(record.size) !== record.root)
      this.problems.push(`13: the ledger tells of entry ${record.size}, which is not durable.`);
  }

  #receipt({ device, n, receipt }: LedgerReceipt): void {
    if (!('payload' in receipt)) return;
    // reason: the home has signed it as a receipt
    const said = parseCanonical(utf8(receipt.payload)) as unknown as Receipt;
    if (said.refused !== null) return;
    if (this.#truth.taken(device, n)?.hash !== said.decision)
      this.problems.push(`13: the receipt of ${device.slice(0, 6)}/${n} was issued before its decision was durable.`);
  }
}
