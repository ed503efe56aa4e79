import { anyOf, sizeBy } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';

/** Texts that parsers, terminals and people trip over. */
export const ODD_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\uD800',
  'a\uDFFFb',
  '\u202E\u2066x',
  '\u001B[2J',
  '__proto__',
  'constructor',
  'toString',
  '../../etc/passwd',
  'NaN',
  '9007199254740993',
  '😀'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(9_000),
];

const ODD_NUMBERS: readonly number[] = [0, -0, -1, 1.5, 1e-7, 1e21, 1e308, 2 ** 31, 2 ** 53, -(2 ** 53), 5e-324];

/** A value of any type that JSON has, small or odd. */
export function oddValue(dice: Dice): unknown {
  switch (dice.roll(9)) {
    case 0:
      return null;
    case 1:
      return dice.chance(0.5);
    case 2:
      return anyOf(dice, ODD_NUMBERS);
    case 3:
      return anyOf(dice, ODD_TEXTS);
    case 4:
      return [];
    case 5:
      return {};
    case 6:
      return nested(dice, sizeBy(dice, 200));
    case 7:
      return Array.from({ length: sizeBy(dice, 600) }, () => 0);
    default:
      return Object.fromEntries(Array.from({ length: dice.roll(4) }, () => [anyOf(dice, ODD_TEXTS), dice.roll(10)]));
  }
}

/** Brackets in brackets, or members in members. */
export function nested(dice: Dice, depth: number): unknown {
  let value: unknown = 0;
  for (let left = depth; left > 0; left -= 1) value = dice.chance(0.5) ? [value] : { a: value };
  return value;
}

/** The same value with one member or element of it, anywhere, replaced, removed, doubled or added. */
export function withOneChange(dice: Dice, value: unknown): unknown {
  if (Array.isArray(value)) return changedArray(dice, value);
  if (typeof value !== 'object' || value === null) return oddValue(dice);
  const entries = Object.entries(value);
  if (entries.length === 0 || dice.chance(0.12)) return { ...value, [anyOf(dice, ODD_TEXTS)]: oddValue(dice) };
  const index = dice.roll(entries.length);
  const [key, member] = entries[index] ?? ['', null];
  if (dice.chance(0.15)) return Object.fromEntries(entries.filter((_, at) => at !== index));
  if (dice.chance(0.1)) return Object.fromEntries([...entries, [anyOf(dice, entries)[0], member]]);
  const replaced = dice.chance(0.5) ? oddValue(dice) : withOneChange(dice, member);
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? replaced : old]));
}

function changedArray(dice: Dice, items: readonly unknown[]): unknown {
  if (items.length === 0) return [oddValue(dice)];
  const index = dice.roll(items.length);
  if (dice.chance(0.2)) return [...items, items[index]];
  if (dice.chance(0.1)) return items.filter((_, at) => at !== index);
  return items.map((item, at) => (at === index ? withOneChange(dice, item) : item));
}
