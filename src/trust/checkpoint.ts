import type { Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Result } from '../base/result.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import type { Digest, HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { count, digest, epochMs, home, version1, workspace } from '../access/fields.ts';
import { read, record, type Reader } from '../base/shape.ts';
import { openRecord, signRecord } from '../access/signed.ts';

/** The home's signed commitment to the first `size` entries of a log; two of them are linked by a consistency proof. */
export interface Checkpoint {
  readonly v: 1;
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  readonly size: number;
  /** Chain root after entry `size`. */
  readonly root: Digest;
  /** Merkle root over the first `size` entries. */
  readonly tree: Digest;
  readonly atMs: EpochMs;
}

const checkpoint: Reader<Checkpoint> = record({
  v: version1,
  home,
  workspace,
  size: count,
  root: digest,
  tree: digest,
  atMs: epochMs,
});

export function parseCheckpoint(value: Json): Result<Checkpoint> {
  return read(checkpoint, value);
}

/** Throws: `bad-input` for a checkpoint that `parseCheckpoint` refuses. */
export function signCheckpoint(signer: Signer, value: Checkpoint): SignedText {
  return signRecord(signer, 'checkpoint', checkpoint, value);
}

/** The checkpoint in a signed text, if this home key signed it for this home and workspace. */
export function openCheckpoint(
  verify: Verify,
  publicKey: Uint8Array,
  place: { readonly home: HomeId; readonly workspace: WorkspaceId },
  signed: SignedText,
): Result<Checkpoint> {
  return openRecord({ verify, publicKey, domain: { ...place, type: 'checkpoint' }, signed }, checkpoint);
}
