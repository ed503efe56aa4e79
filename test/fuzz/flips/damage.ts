import { HEAD_RECORD_BYTES } from '../../../src/journal/sqlite/head-record.ts';
import { anyOf, bytesBy } from '../../support/fuzz-dice.ts';
import type { Dice } from '../../support/hostile-dice.ts';

/** Where the blocks of a file begin, and how long each is: what a disk loses, doubles and mixes up. */
interface Blocks {
  readonly from: number;
  readonly bytes: number;
}

/** Pages, frames of a WAL (a header of 24 bytes before each page), head records; sectors of anything else. */
function blocksOf(name: string): Blocks {
  if (name.endsWith('-wal')) return { from: 32, bytes: 4096 + 24 };
  if (name.endsWith('.db')) return { from: 0, bytes: 4096 };
  return name.startsWith('head') ? { from: 0, bytes: HEAD_RECORD_BYTES } : { from: 0, bytes: 512 };
}

/** Somebody else's bytes for the same name: an older copy, or another life. */
export type Elsewhere = readonly (Uint8Array | undefined)[];

interface Place {
  readonly dice: Dice;
  readonly name: string;
  readonly elsewhere: Elsewhere;
}

type Damage = (bytes: Uint8Array, place: Place) => Uint8Array | null;

const DAMAGES: Readonly<Record<string, { readonly weight: number; readonly make: Damage }>> = {
  flip: { weight: 30, make: (bytes, { dice }) => xor(bytes, dice.roll(bytes.length), 1 << dice.roll(8)) },
  byte: { weight: 10, make: (bytes, { dice }) => xor(bytes, dice.roll(bytes.length), 1 + dice.roll(255)) },
  burst: {
    weight: 8,
    make: (bytes, { dice }) => over(bytes, dice.roll(bytes.length), bytesBy(dice, 1 + dice.roll(64))),
  },
  cut: { weight: 10, make: (bytes, { dice }) => bytes.subarray(0, dice.roll(bytes.length)) },
  cutBlock: { weight: 5, make: (bytes, place) => bytes.subarray(0, anyBlock(bytes, place).at) },
  extend: { weight: 4, make: (bytes, { dice }) => extended(bytes, dice) },
  sector: {
    weight: 6,
    make: (bytes, { dice }) => over(bytes, 512 * dice.roll(Math.ceil(bytes.length / 512)), new Uint8Array(512)),
  },
  blankBlock: { weight: 6, make: (bytes, place) => over(bytes, anyBlock(bytes, place).at, zeros(bytes, place)) },
  blankTail: { weight: 3, make: (bytes, { dice }) => Uint8Array.from(bytes).fill(0, dice.roll(bytes.length)) },
  swap: { weight: 6, make: swapped },
  copy: {
    weight: 5,
    make: (bytes, place) => over(bytes, anyBlock(bytes, place).at, anyBlock(bytes, place).block),
  },
  staleBlock: { weight: 8, make: stale },
  replace: { weight: 3, make: (_, { dice, elsewhere }) => anyOf(dice, elsewhere) ?? null },
  empty: { weight: 1, make: () => new Uint8Array() },
  lose: { weight: 1, make: () => null },
};

const WEIGHTED = Object.entries(DAMAGES).flatMap(([name, { make, weight }]) =>
  Array.from({ length: weight }, () => ({ name, make })),
);

/** One file damaged in one way: `null` when it is gone. `what` says how, for who reads a failure. */
export function damaged(bytes: Uint8Array, place: Place): { readonly what: string; readonly bytes: Uint8Array | null } {
  const { make, name } = anyOf(place.dice, WEIGHTED);
  return { what: `${name} in ${place.name}`, bytes: bytes.length === 0 ? null : make(bytes, place) };
}

function xor(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const made = Uint8Array.from(bytes);
  made[at] = (made[at] ?? 0) ^ mask;
  return made;
}

/** As far as the file goes: nothing is written behind its end. */
function over(bytes: Uint8Array, at: number, part: Uint8Array): Uint8Array {
  const made = Uint8Array.from(bytes);
  made.set(part.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length));
  return made;
}

function anyBlock(bytes: Uint8Array, { dice, name }: Place): { readonly at: number; readonly block: Uint8Array } {
  const { bytes: size, from } = blocksOf(name);
  const at = from + size * dice.roll(Math.max(1, Math.floor((bytes.length - from) / size)));
  return { at, block: bytes.slice(at, at + size) };
}

function zeros(bytes: Uint8Array, place: Place): Uint8Array {
  return new Uint8Array(Math.min(bytes.length, blocksOf(place.name).bytes));
}

function extended(bytes: Uint8Array, dice: Dice): Uint8Array {
  const size = 1 + dice.roll(8192);
  const tail = dice.pick([
    () => new Uint8Array(size),
    () => bytesBy(dice, size),
    () => bytes.slice(Math.max(0, bytes.length - size)),
  ])();
  const made = new Uint8Array(bytes.length + tail.length);
  made.set(bytes);
  made.set(tail, bytes.length);
  return made;
}

function swapped(bytes: Uint8Array, place: Place): Uint8Array {
  const [one, other] = [anyBlock(bytes, place), anyBlock(bytes, place)];
  return over(over(bytes, one.at, other.block), other.at, one.block);
}

/** A write that the disk said it had made: the block is as it once was, or as it is in another life. */
function stale(bytes: Uint8Array, place: Place): Uint8Array {
  const { at, block } = anyBlock(bytes, place);
  const before = anyOf(place.dice, place.elsewhere)?.slice(at, at + block.length);
  return over(bytes, at, before ?? new Uint8Array(block.length));
}
