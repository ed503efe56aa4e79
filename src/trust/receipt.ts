import type { Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Result } from '../base/result.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import { DECISION_LIMITS } from '../model/decision.ts';
import type { ItemResult } from '../model/event.ts';
import type { DeviceId, Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { count, device, digest, epochMs, home, ordinal, version1, workspace } from '../access/fields.ts';
import { action, why } from './fields.ts';
import { list, nullable, oneOf, read, record, type Reader } from '../base/shape.ts';
import { openRecord, signRecord } from '../access/signed.ts';

/** The home's word that it has durably taken, or refused, a decision. A device re-sends until it holds one (DC-6). */
export interface Receipt {
  readonly v: 1;
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly device: DeviceId;
  readonly n: number;
  /** `decisionHash` of the decision it answers. */
  readonly decision: Digest;
  /** One an item, in the decision's order; empty when the decision as a whole was refused. */
  readonly results: readonly ItemResult[];
  /** The audit entry that took it; 0 for a refusal that was only counted. */
  readonly entry: number;
  /** Why the whole decision was refused; `null` when it was taken. */
  readonly refused: string | null;
  readonly atMs: EpochMs;
}

const itemResult: Reader<ItemResult> = record({
  id: action,
  result: oneOf('received', 'refused', 'late'),
  why: nullable(why),
});
const receipt: Reader<Receipt> = record({
  v: version1,
  home,
  workspace,
  device,
  n: ordinal,
  decision: digest,
  results: list(itemResult, { max: DECISION_LIMITS.itemsMax }),
  entry: count,
  refused: nullable(why),
  atMs: epochMs,
});

export function parseReceipt(value: Json): Result<Receipt> {
  return read(receipt, value);
}

/** Throws: `bad-input` for a receipt that `parseReceipt` refuses, such as one with a reason longer than 1 KiB. */
export function signReceipt(signer: Signer, value: Receipt): SignedText {
  return signRecord(signer, 'receipt', receipt, value);
}

/** The receipt in a signed text, if this home key signed it for this home and workspace. */
export function openReceipt(
  verify: Verify,
  publicKey: Uint8Array,
  place: { readonly home: HomeId; readonly workspace: WorkspaceId },
  signed: SignedText,
): Result<Receipt> {
  return openRecord({ verify, publicKey, domain: { ...place, type: 'receipt' }, signed }, receipt);
}
