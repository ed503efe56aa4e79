import { diceOf, type Dice } from './hostile-dice.ts';

/** The dice of one input: with its number alone it comes again, without all those before it. */
export function diceAt(seed: number, index: number): Dice {
  return diceOf(Math.imul(seed, 0x9e_37_79_b1) ^ Math.imul(index + 1, 0x85_eb_ca_6b));
}

export function bytesBy(dice: Dice, count: number): Uint8Array {
  return Uint8Array.from({ length: count }, () => dice.roll(256));
}

/** From 1 to about `max`, and small more often: large inputs cost more than they find. */
export function sizeBy(dice: Dice, max: number): number {
  return Math.ceil(max ** (dice.roll(1_000) / 1_000));
}

/** One of them, none of which counts more than another. Throws for none at all. */
export function anyOf<T>(dice: Dice, from: readonly T[]): T {
  if (from.length === 0) throw new Error('there is nothing to choose from');
  // reason: the die has as many sides as there are choices
  return from[dice.roll(from.length)] as T;
}

/** The bytes of an input as it is kept. The product's own way is careful, and ten times slower. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}

export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex, 'hex'));
}
