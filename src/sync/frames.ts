import * as decoding from 'lib0/decoding';
import { MESSAGE } from './messages.ts';

/** A message about a document. */
export type SyncFrame =
  | { readonly type: 'step1'; readonly stateVector: Uint8Array }
  /** A step 2 (`answer`) or an update: both carry changes. */
  | { readonly type: 'changes'; readonly answer: boolean; readonly update: Uint8Array }
  | { readonly type: 'unknown' };

/** A frame this side is about to send, as far as its rules look at it. */
export type OutgoingFrame =
  | SyncFrame
  | { readonly type: 'awareness'; readonly update: Uint8Array }
  | { readonly type: 'query-awareness' };

/** Behind the type of the message. Throws what lib0 throws on bytes that end too early. */
export function readSync(decoder: decoding.Decoder): SyncFrame {
  const step = decoding.readVarUint(decoder);
  if (step === 0) return { type: 'step1', stateVector: decoding.readVarUint8Array(decoder) };
  if (step === 1 || step === 2)
    return { type: 'changes', answer: step === 1, update: decoding.readVarUint8Array(decoder) };
  return { type: 'unknown' };
}

export function readOutgoing(frame: Uint8Array): OutgoingFrame {
  const decoder = decoding.createDecoder(frame);
  switch (decoding.readVarUint(decoder)) {
    case MESSAGE.sync:
      return readSync(decoder);
    case MESSAGE.awareness:
      return { type: 'awareness', update: decoding.readVarUint8Array(decoder) };
    case MESSAGE.queryAwareness:
      return { type: 'query-awareness' };
    default:
      return { type: 'unknown' };
  }
}

/** Has it structs or deletions? Without, it is two zeros (V1), and counts for nothing, also not in `durable`. */
export function carriesChanges(update: Uint8Array): boolean {
  return update.length !== 2 || update[0] !== 0 || update[1] !== 0;
}
