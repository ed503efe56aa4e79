import type { Json, JsonObject } from '../../base/canonical-json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { BlobRef } from '../../model/content.ts';
import { digestOf } from '../../model/digest.ts';
import { parseDigest, type Digest } from '../../model/ids.ts';
import type { ActionFile } from '../../model/ledger.ts';
import { canonicalOf } from '../head/signed-json.ts';

/** Blobs one action may name; a bundle of files has some hundreds. */
const REFS_MAX = 4_096;

/** An action's file, and all that a person must be able to see of it. */
export interface ReadFile {
  readonly file: ActionFile;
  readonly refs: readonly BlobRef[];
}

/**
 * The file of an action whose digest is this: what is shown is what is countersigned (DC-1). The home signed the hash
 * of these bytes, so their shape is its own; that the content has the digest is checked here all the same.
 */
export function readActionFile(sha256: Sha256, digest: Digest, bytes: Uint8Array): Result<ReadFile> {
  const value = canonicalOf(bytes);
  if (!isObject(value) || !isObject(value['content'])) return err('The file of the action cannot be read.');
  if (value['v'] !== 1) return err('The file of the action was made by a newer runtime. Load this page again.');
  // reason: the home made it, and said so with its signature over the hash
  const file = value as unknown as ActionFile;
  if (digestOf(sha256, file.content) !== digest) return err('The file of the action is not the one its digest names.');
  const refs = new Map<Digest, BlobRef>();
  collect(value['content'], refs);
  return refs.size > REFS_MAX
    ? err(`The action names more than ${REFS_MAX} blobs.`)
    : ok({ file, refs: [...refs.values()] });
}

function collect(value: Json, refs: Map<Digest, BlobRef>): void {
  if (typeof value !== 'object' || value === null) return;
  const hash = isObject(value) ? parseDigest(value['$blob']) : undefined;
  const bytes = isObject(value) ? value['bytes'] : undefined;
  if (hash?.ok === true && typeof bytes === 'number') refs.set(hash.value, { $blob: hash.value, bytes });
  else for (const member of Object.values(value)) collect(member, refs);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
