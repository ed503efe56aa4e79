import { assert } from '../base/assert.ts';
import { canonicalBytes } from '../base/canonical-json.ts';
import { concat, toHex, utf8 } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { ActionContent } from './content.ts';
import type { Digest } from './ids.ts';

/** Stands before the content in its hash, so that no other hashed value can ever be taken for an action. */
const ACTION_PREFIX = utf8('countersign action|1\n');

/** What is hashed and what is shown: the canonical bytes of a content. */
export function contentBytes(content: ActionContent): Uint8Array {
  return canonicalBytes(content);
}

/** The digest a decision binds to. */
export function digestOf(sha256: Sha256, content: ActionContent): Digest {
  return digestFrom(sha256(concat(ACTION_PREFIX, contentBytes(content))));
}

/** A 32-byte hash as a digest. */
export function digestFrom(hash: Uint8Array): Digest {
  assert(hash.length === 32, 'a SHA-256 has 32 bytes');
  return toHex(hash) as Digest; // reason: the hexadecimal text of a SHA-256 is what the brand means
}
