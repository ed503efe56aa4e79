import { webcrypto } from 'node:crypto';
import { makeDice } from './dice.ts';

/*
 * The process's own clock and dice, taken away. Packages keep what they find when they are loaded (Yjs for its client
 * ids), so the entry of a simulation's process imports this file first; nothing else may.
 */

let dice = makeDice(0, 'globals');

/** From here on they fall as this seed says. */
export function pinGlobals(seed: number): void {
  dice = makeDice(seed, 'globals');
}

Math.random = () => dice.pick(2 ** 30) / 2 ** 30;
Date.now = () => Date.UTC(2026, 0, 1);
const fill = <T extends ArrayBufferView | null>(array: T): T => {
  if (array !== null)
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(dice.random.bytes(array.byteLength));
  return array;
};
Object.defineProperty(webcrypto, 'getRandomValues', { value: fill, configurable: true, writable: true });
