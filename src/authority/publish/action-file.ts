import { utf8 } from '../../base/bytes.ts';
import { canonicalWith } from '../../base/canonical-json.ts';
import type { Action } from '../../model/action.ts';
import type { ActionContent, BlobRef } from '../../model/content.ts';
import { contentText } from '../../model/digest.ts';
import type { ActionFile } from '../../model/ledger.ts';
import { blobRefsOf } from '../blob-refs.ts';
import type { Core } from '../core.ts';

/** What a device makes the card from, and how it is called. */
export function actionFileRef(core: Core, action: Action): BlobRef {
  const known = refs.get(action.content);
  if (known !== undefined) return known;
  const bytes = actionFileBytes(core, action);
  const ref = { $blob: core.store.hash(bytes), bytes: bytes.length };
  refs.set(action.content, ref);
  return ref;
}

/** A content never changes, and neither does the surface that explains it: a tool that changes is another process. */
const refs = new WeakMap<ActionContent, BlobRef>();

export function actionFileBytes(core: Core, action: Action): Uint8Array {
  const file: Omit<ActionFile, 'content'> = {
    v: 1,
    card: core.surfaceOf(action)?.card ?? null,
    reversibleWhy: action.reversibleWhy,
  };
  return utf8(canonicalWith(file, 'content', contentText(action.content)));
}

/** Bytes that the content refers to: what a person must be able to see before approving. Each once. */
export function payloadsOf(content: ActionContent): readonly BlobRef[] {
  const refsIn = [...blobRefsOf(content.arguments), ...blobRefsOf(content.effect)];
  return [...new Map(refsIn.map((ref) => [ref.$blob, ref])).values()];
}
