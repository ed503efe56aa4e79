import * as encoding from 'lib0/encoding';
import { MESSAGE } from '../src/sync/messages.ts';

/** Bytes of a frame that may be written to any number of sockets: a WebSocket header and its message, made once. */
export type WireFrame = Buffer;

const FINAL_BINARY = 0x82;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** One unmasked, unfragmented binary frame (RFC 6455 §5.2), as a server sends it. */
export function wireFrame(message: Uint8Array): WireFrame {
  const { length } = message;
  const headBytes = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame[0] = FINAL_BINARY;
  if (headBytes === 2) frame[1] = length;
  else if (headBytes === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeUInt32BE(0, 2);
    frame.writeUInt32BE(length, 6);
  }
  frame.set(message, headBytes);
  return frame;
}

export function step1(stateVector: Uint8Array): Uint8Array {
  return sync(0, stateVector);
}

export function step2(update: Uint8Array): Uint8Array {
  return sync(1, update);
}

export function change(update: Uint8Array): Uint8Array {
  return sync(2, update);
}

export function awareness(update: Uint8Array): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, MESSAGE.awareness);
    encoding.writeVarUint8Array(encoder, update);
  });
}

export function durable(through: number): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, MESSAGE.durable);
    encoding.writeVarUint(encoder, through);
  });
}

export function head(json: string): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, MESSAGE.head);
    encoding.writeVarString(encoder, json);
  });
}

function sync(step: 0 | 1 | 2, bytes: Uint8Array): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, MESSAGE.sync);
    encoding.writeVarUint(encoder, step);
    encoding.writeVarUint8Array(encoder, bytes);
  });
}
