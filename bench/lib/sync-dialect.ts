import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

/** How one server frames what every one of them carries: updates of a document, and the first exchange of states. */
export interface Dialect {
  /** To be sent when the socket is open, before anything else. */
  readonly hello: readonly Uint8Array[];
  step1(stateVector: Uint8Array): Uint8Array;
  update(update: Uint8Array): Uint8Array;
  read(frame: Uint8Array): Heard;
}

export type Heard =
  | { readonly type: 'update' | 'step1' | 'step2'; readonly bytes: Uint8Array }
  /** The first `count` messages with changes are on the other side's disk. */
  | { readonly type: 'durable'; readonly count: number }
  | { readonly type: 'other' };

const SYNC = 0;
const SYNC_REPLY = 4;
const DURABLE = 100;
const STEP_1 = 0;
const STEP_2 = 1;
const UPDATE = 2;
const HEARD = { [STEP_1]: 'step1', [STEP_2]: 'step2', [UPDATE]: 'update' } as const;

/** y-websocket's own, which `@y/websocket-server` and our relay speak, and our relay's acknowledgement. */
export const stock: Dialect = {
  hello: [],
  step1: (stateVector) => sync(STEP_1, stateVector),
  update: (update) => sync(UPDATE, update),
  read: (frame) => readMessage(decoding.createDecoder(frame)),
};

/** Hocuspocus: every message begins with the document's name, and a document opens with a token. */
export function hocuspocus(room: string): Dialect {
  const named = (write: (encoder: encoding.Encoder) => void) =>
    encoding.encode((encoder) => {
      encoding.writeVarString(encoder, room);
      write(encoder);
    });
  const auth = named((encoder) => {
    encoding.writeVarUint(encoder, 2);
    encoding.writeVarUint(encoder, 0);
    encoding.writeVarString(encoder, '');
  });
  const from = (message: Uint8Array) => named((encoder) => encoding.writeUint8Array(encoder, message));
  return {
    hello: [auth],
    step1: (stateVector) => from(stock.step1(stateVector)),
    update: (update) => from(stock.update(update)),
    read(frame) {
      const decoder = decoding.createDecoder(frame);
      decoding.readVarString(decoder);
      return readMessage(decoder);
    },
  };
}

/** Nothing around an update: what the network and `ws` cost by themselves. */
export const bare: Dialect = {
  hello: [],
  step1: (stateVector) => stateVector,
  update: (update) => update,
  read: (bytes) => ({ type: 'update', bytes }),
};

function sync(kind: number, bytes: Uint8Array): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, SYNC);
    encoding.writeVarUint(encoder, kind);
    encoding.writeVarUint8Array(encoder, bytes);
  });
}

function readMessage(decoder: decoding.Decoder): Heard {
  const message = decoding.readVarUint(decoder);
  if (message === DURABLE) return { type: 'durable', count: decoding.readVarUint(decoder) };
  if (message !== SYNC && message !== SYNC_REPLY) return { type: 'other' };
  const kind = decoding.readVarUint(decoder);
  if (kind !== STEP_1 && kind !== STEP_2 && kind !== UPDATE) return { type: 'other' };
  return { type: HEARD[kind], bytes: decoding.readVarUint8Array(decoder) };
}
