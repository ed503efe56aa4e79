import { notUnderstood, relayReasonOf } from './relay-error.ts';

/**
 * Reads a stranger's bytes, and does nothing else. What decoders throw on bytes that make no sense is the relay's
 * doing: it ends the connection, and is no bug of this side.
 */
export function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    // lib0, Yjs and JSON.parse throw Errors of many kinds; ours say already whose fault it is.
    if (!(thrown instanceof Error) || relayReasonOf(thrown) !== undefined) throw thrown;
    throw notUnderstood('The relay sent bytes that make no sense.');
  }
}
