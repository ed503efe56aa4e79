/** Dice that fall the same way for the same seed (mulberry32). */
export interface Dice {
  /** A whole number from 0 up to, and without, `below`. */
  roll(below: number): number;
  chance(share: number): boolean;
  pick<T>(from: readonly [T, ...T[]]): T;
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const roll = (below: number): number => Math.floor(next() * below);
  return {
    roll,
    chance: (share) => next() < share,
    pick: (from) => from[roll(from.length)] ?? from[0],
  };
}
