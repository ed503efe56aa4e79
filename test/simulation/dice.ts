import type { Dice } from './contract.ts';

/** Dice that fall the same way for the same seed and name (xoshiro128**). Fast, and never for keys. */
export function makeDice(seed: number, name = ''): Dice {
  const next = generator(seed, name);
  const bytes = (count: number): Uint8Array => {
    const out = new Uint8Array(count);
    for (let at = 0; at < count; at += 4) {
      const word = next();
      for (let byte = 0; byte < 4 && at + byte < count; byte++) out[at + byte] = word >>> (8 * byte);
    }
    return out;
  };
  const pick = (n: number): number => (n <= 1 ? 0 : Math.floor((next() / 2 ** 32) * n));
  return {
    pick,
    chance: (percent) => next() / 2 ** 32 < percent / 100,
    of: (list) => {
      const one = list[pick(list.length)];
      if (one === undefined) throw new Error('dice need something to choose from');
      return one;
    },
    split: (part) => makeDice(seed, `${name}/${part}`),
    random: { bytes },
  };
}

function generator(seed: number, name: string): () => number {
  let mix = seed >>> 0;
  for (const char of name) mix = Math.imul(mix ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const word = (): number => {
    mix = (mix + 0x9e3779b9) >>> 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  };
  let [a, b, c, d] = [word(), word(), word(), word() | 1];
  return () => {
    const five = Math.imul(b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return result;
  };
}
