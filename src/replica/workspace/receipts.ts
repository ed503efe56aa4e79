import type { BlobRef } from '../../model/content.ts';
import type { DeviceId, WorkspaceId } from '../../model/ids.ts';
import type { LedgerReceipt } from '../../model/ledger.ts';
import type { SignedText } from '../../model/signed-text.ts';
import { openReceipt, type Receipt } from '../../trust/receipt.ts';
import type { Core } from '../core.ts';
import { signedTextOf } from '../head/signed-json.ts';

interface ReceiptsOptions {
  readonly workspace: WorkspaceId;
  readonly blob: (ref: BlobRef) => Promise<Uint8Array>;
  readonly changed: (device: DeviceId) => void;
}

/** The home's receipts in one ledger, each opened once. What is not its own word on that decision is none (DC-6). */
export class Receipts {
  readonly #core: Core;
  readonly #options: ReceiptsOptions;
  readonly #byId = new Map<string, Receipt>();

  constructor(core: Core, options: ReceiptsOptions) {
    this.#core = core;
    this.#options = options;
  }

  of(device: DeviceId, n: number): Receipt | undefined {
    return this.#byId.get(`${device}/${n}`);
  }

  /** Those of one device, in no order. */
  *ofDevice(device: DeviceId): Generator<Receipt> {
    for (const receipt of this.#byId.values()) if (receipt.device === device) yield receipt;
  }

  set(record: LedgerReceipt): void {
    if ('payload' in record.receipt) {
      this.#take(record, record.receipt);
      return;
    }
    const ref = record.receipt;
    this.#core.run(async () => {
      const signed = signedTextOf(await this.#options.blob(ref));
      if (signed !== undefined) this.#take(record, signed);
    });
  }

  remove(id: string): void {
    this.#byId.delete(id);
  }

  #take(record: LedgerReceipt, signed: SignedText): void {
    const { crypto, home, homeKey } = this.#core;
    const opened = openReceipt(crypto.verify, homeKey, { home, workspace: this.#options.workspace }, signed);
    if (!opened.ok || opened.value.device !== record.device || opened.value.n !== record.n) return;
    this.#byId.set(record.id, opened.value);
    this.#options.changed(record.device);
  }
}
