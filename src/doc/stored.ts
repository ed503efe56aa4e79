import * as Y from 'yjs';
import { messageOf } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';

/**
 * The whole of a document from what was stored of it: its state at some time, and the updates since, in any order. An
 * error for bytes that are no updates, and when one is missing.
 */
export function wholeOf(parts: readonly Uint8Array[]): Result<Uint8Array> {
  const doc = new Y.Doc({ gc: true });
  try {
    for (const part of parts) Y.applyUpdate(doc, part);
  } catch (thrown) {
    // Yjs and lib0 throw errors of many kinds on bytes that are no update; all mean the same here.
    return err(`What was stored cannot be read: ${messageOf(thrown)}`);
  }
  if (doc.store.pendingStructs !== null || doc.store.pendingDs !== null) return err('A stored update is missing.');
  return ok(Y.encodeStateAsUpdate(doc));
}
