import { concat } from '../../../src/base/bytes.ts';
import { anyOf, bytesBy } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';

/** Numbers that lengths, counts and clocks go wrong at, as lib0 writes them: 7 bits a byte, lowest first. */
const VAR_UINTS: readonly Uint8Array[] = [
  Uint8Array.of(0),
  Uint8Array.of(127),
  Uint8Array.of(128, 1),
  Uint8Array.of(255, 127),
  Uint8Array.of(255, 255, 255, 255, 7),
  Uint8Array.of(255, 255, 255, 255, 15),
  Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 15),
  Uint8Array.of(128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 0),
];

type Mutation = (bytes: Uint8Array, dice: Dice, others: readonly Uint8Array[]) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  (bytes, dice) => at(bytes, dice, (place) => ({ cut: 1, put: bytesBy(dice, 1), place })),
  (bytes, dice) =>
    at(bytes, dice, (place) => ({ cut: 1, put: Uint8Array.of((bytes[place] ?? 0) ^ (1 << dice.roll(8))), place })),
  (bytes, dice) => at(bytes, dice, (place) => ({ cut: dice.roll(2), put: anyOf(dice, VAR_UINTS), place })),
  (bytes, dice) => at(bytes, dice, (place) => ({ cut: 0, put: bytesBy(dice, 1 + dice.roll(4)), place })),
  (bytes, dice) => at(bytes, dice, (place) => ({ cut: 1 + dice.roll(8), put: new Uint8Array(), place })),
  (bytes, dice) => bytes.slice(0, dice.roll(bytes.length + 1)),
  (bytes, dice) => concat(bytes, bytesBy(dice, 1 + dice.roll(8))),
  (bytes, dice) => at(bytes, dice, (place) => ({ cut: 0, put: bytes.slice(place, place + 1 + dice.roll(64)), place })),
  (bytes, dice, others) => {
    const other = anyOf(dice, others);
    return concat(bytes.slice(0, dice.roll(bytes.length + 1)), other.slice(dice.roll(other.length + 1)));
  },
];

/** A valid message with a few things done to it. `others`: valid ones that it may be spliced with. */
export function mutated(bytes: Uint8Array, dice: Dice, others: readonly Uint8Array[]): Uint8Array {
  let made = bytes;
  for (let left = 1 + dice.roll(3); left > 0; left -= 1) made = anyOf(dice, MUTATIONS)(made, dice, others);
  return made;
}

/** Bytes that nobody made, with more of those that mean something to a decoder. */
export function noise(dice: Dice, lengthMax: number): Uint8Array {
  const low = dice.chance(0.5);
  return Uint8Array.from({ length: dice.roll(lengthMax) }, () => (low ? dice.roll(12) : dice.roll(256)));
}

function at(
  bytes: Uint8Array,
  dice: Dice,
  edit: (place: number) => { readonly place: number; readonly cut: number; readonly put: Uint8Array },
): Uint8Array {
  const { cut, place, put } = edit(dice.roll(bytes.length + 1));
  return concat(bytes.slice(0, place), put, bytes.slice(place + cut));
}
