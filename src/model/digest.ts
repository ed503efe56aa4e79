import { assert } from '../base/assert.ts';
import { canonicalBytes, canonicalWith } from '../base/canonical-json.ts';
import { concat, toHex, utf8 } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { Action } from './action.ts';
import type { ActionContent } from './content.ts';
import type { Digest } from './ids.ts';

/** Stands before the content in its hash, so that no other hashed value can ever be taken for an action. */
const ACTION_PREFIX = utf8('countersign action|1\n');

/** What is hashed and what is shown: the canonical bytes of a content. */
export function contentBytes(content: ActionContent): Uint8Array {
  return remembered(contents, content, () => canonicalBytes(content));
}

/** The canonical bytes of an action, in which its content is encoded once, whatever becomes of it. */
export function actionBytes(action: Action): Uint8Array {
  return remembered(actions, action, () => {
    const { content, ...rest } = action;
    return canonicalWith(rest, 'content', contentBytes(content));
  });
}

// Both are values that nothing changes, so their bytes are a property of the object.
const contents = new WeakMap<ActionContent, Uint8Array>();
const actions = new WeakMap<Action, Uint8Array>();

function remembered<T extends object>(known: WeakMap<T, Uint8Array>, value: T, encode: () => Uint8Array): Uint8Array {
  const bytes = known.get(value) ?? encode();
  known.set(value, bytes);
  return bytes;
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
