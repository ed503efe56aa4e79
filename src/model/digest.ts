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
  const known = contents.get(content);
  if (known !== undefined) return known;
  const text = canonicalText(content);
  contents.set(content, text);
  return text;
}

/** The canonical text of an action, in which its content is encoded once, whatever becomes of it. */
export function actionText(action: Action): string {
  if (action === newest?.action) return newest.text;
  const { content, ...rest } = action;
  const text = canonicalWith(rest, 'content', contentText(content));
  newest = { action, text };
  return text;
}

// Both are values that nothing changes, so their text is a property of the object.
const contents = new WeakMap<ActionContent, string>();
/** A new action is wanted in its event and as its record, one right after the other; its next form is another value. */
let newest: { readonly action: Action; readonly text: string } | undefined;

/** The digest a decision binds to. */
export function digestOf(sha256: Sha256, content: ActionContent): Digest {
  return digestFrom(sha256(utf8(ACTION_PREFIX + contentText(content))));
}

/** A 32-byte hash as a digest. */
export function digestFrom(hash: Uint8Array): Digest {
  assert(hash.length === 32, 'a SHA-256 has 32 bytes');
  return toHex(hash) as Digest; // reason: the hexadecimal text of a SHA-256 is what the brand means
}
