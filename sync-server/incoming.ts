import * as decoding from 'lib0/decoding';
import { MESSAGE } from '../src/sync/messages.ts';

/** What a frame from a client says. `update` and `stateVector` are views into the frame. */
export type Incoming =
  | { readonly type: 'step1'; readonly stateVector: Uint8Array }
  /** A step 2 and an update are one thing to a relay. */
  | { readonly type: 'changes'; readonly update: Uint8Array; readonly isUpdate: boolean }
  | { readonly type: 'awareness'; readonly update: Uint8Array }
  | { readonly type: 'query-awareness' };

/** The message in a frame; `undefined` for anything that is not exactly one. */
export function readIncoming(frame: Uint8Array): Incoming | undefined {
  try {
    const decoder = decoding.createDecoder(frame);
    const message = readMessage(decoder);
    return decoding.hasContent(decoder) ? undefined : message;
  } catch (thrown) {
    // lib0 throws plain Errors on bytes that end too early and on numbers that are too large.
    if (thrown instanceof Error) return undefined;
    throw thrown;
  }
}

function readMessage(decoder: decoding.Decoder): Incoming | undefined {
  switch (decoding.readVarUint(decoder)) {
    case MESSAGE.sync:
      return readSync(decoder);
    case MESSAGE.awareness:
      return { type: 'awareness', update: decoding.readVarUint8Array(decoder) };
    case MESSAGE.queryAwareness:
      return { type: 'query-awareness' };
    default:
      return undefined;
  }
}

function readSync(decoder: decoding.Decoder): Incoming | undefined {
  const step = decoding.readVarUint(decoder);
  if (step > 2) return undefined;
  const bytes = decoding.readVarUint8Array(decoder);
  return step === 0 ? { type: 'step1', stateVector: bytes } : { type: 'changes', update: bytes, isUpdate: step === 2 };
}
