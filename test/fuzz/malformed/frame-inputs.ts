import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { concat, utf8 } from '../../../src/base/bytes.ts';
import { MESSAGE } from '../../../src/sync/messages.ts';
import { anyOf } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';
import { headOf, signedHead, forgedHead } from '../../support/sync-lab.ts';
import { mutated, noise } from './mutate.ts';
import { anyUpdate } from './updates.ts';
import { ROOMS, type RoomName } from './update-rooms.ts';

/** A frame with everything in it that its type asks for, or nearly. */
export function anyFrame(dice: Dice, room: RoomName): Uint8Array {
  if (dice.chance(0.06)) return noise(dice, 80);
  const frame = anyOf(dice, KINDS)(dice, room);
  return dice.chance(0.6) ? mutated(frame, dice, [frame, sync(1, ROOMS[room].state)]) : frame;
}

const KINDS: readonly ((dice: Dice, room: RoomName) => Uint8Array)[] = [
  (dice, room) => sync(0, dice.chance(0.5) ? Y.encodeStateVectorFromUpdate(ROOMS[room].state) : noise(dice, 40)),
  (dice, room) => sync(1 + dice.roll(2), anyUpdate(dice, room)),
  (dice, room) => sync(1 + dice.roll(2), anyUpdate(dice, room)),
  (dice) => message(MESSAGE.awareness, (to) => encoding.writeVarUint8Array(to, awareness(dice))),
  () => message(MESSAGE.queryAwareness, () => undefined),
  (dice) => message(MESSAGE.durable, (to) => encoding.writeVarUint(to, dice.roll(3))),
  (dice) => message(MESSAGE.head, (to) => encoding.writeVarUint8Array(to, head(dice))),
  (dice) => message(dice.roll(300), (to) => encoding.writeVarUint(to, dice.roll(300))),
];

function message(type: number, rest: (to: encoding.Encoder) => void): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, type);
    rest(encoder);
  });
}

function sync(step: number, bytes: Uint8Array): Uint8Array {
  return message(MESSAGE.sync, (to) => {
    encoding.writeVarUint(to, step);
    encoding.writeVarUint8Array(to, bytes);
  });
}

const STATES = ['null', '{}', '{"beat":1}', '{"__proto__":1}', '"x"', '[', '', '1e999', `"${'x'.repeat(5_000)}"`];

function awareness(dice: Dice): Uint8Array {
  return encoding.encode((encoder) => {
    const count = dice.roll(4);
    encoding.writeVarUint(encoder, dice.chance(0.1) ? count + 1 + dice.roll(2 ** 31) : count);
    for (let left = count; left > 0; left -= 1) {
      encoding.writeVarUint(encoder, dice.chance(0.5) ? dice.roll(5) : dice.roll(2 ** 32));
      encoding.writeVarUint(encoder, dice.chance(0.8) ? dice.roll(5) : 2 ** 53 - 1);
      encoding.writeVarString(encoder, anyOf(dice, STATES));
    }
  });
}

const HEADS = [signedHead(headOf(1)), forgedHead(headOf(3)), signedHead(headOf(2, '1.2'))].map((signed) =>
  utf8(JSON.stringify({ payload: signed.payload, signature: signed.signature })),
);

function head(dice: Dice): Uint8Array {
  const bytes = anyOf(dice, HEADS);
  return dice.chance(0.3)
    ? bytes
    : dice.chance(0.5)
      ? mutated(bytes, dice, HEADS)
      : concat(utf8('{"payload":'), noise(dice, 60));
}
