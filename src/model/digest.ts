import { assert } from '../base/assert.ts';
import { canonicalText, canonicalWith } from '../base/canonical-json.ts';
import { toHex, utf8 } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { Action } from './action.ts';
import type { ActionContent } from './content.ts';
import type { Digest } from './ids.ts';

/** Stands before the content in its hash, so that no other hashed value can ever be taken for an action. */
const ACTION_PREFIX = 'countersign action|1\n';

/** What is hashed and what is shown: the canonical text of a content. */
export function contentText(content: ActionContent): string {
  return remembered(contents, content, () => canonicalText(content));
}

/** The canonical text of an action, in which its content is encoded once, whatever becomes of it. */
export function actionText(action: Action): string {
  return remembered(actions, action, () => {
    const { content, ...rest } = action;
    return canonicalWith(rest, 'content', contentText(content));
  });
}

// Both are values that nothing changes, so their text is a property of the object.
const contents = new WeakMap<ActionContent, string>();
const actions = new WeakMap<Action, string>();

function remembered<T extends object>(known: WeakMap<T, string>, value: T, encode: () => string): string {
  const text = known.get(value) ?? encode();
  known.set(value, text);
  return text;
}

/** The digest a decision binds to. */
export function digestOf(sha256: Sha256, content: ActionContent): Digest {
  return digestFrom(sha256(utf8(ACTION_PREFIX + contentText(content))));
}

/** A 32-byte hash as a digest. */
export function digestFrom(hash: Uint8Array): Digest {
  assert(hash.length === 32, 'a SHA-256 has 32 bytes');
  return toHex(hash) as Digest; // reason: the hexadecimal text of a SHA-256 is what the brand means
}
