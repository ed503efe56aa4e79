import type { JournalRecord } from '../../authority/ports.ts';
import { numbersChecksum, recordChecksum } from './checksum.ts';

/**
 * What the database says about itself: up to which row the head log had witnessed when the newest transaction began,
 * and how many records there are with the sum of their checksums. A record that vanished shows here.
 */
export interface Tally {
  readonly witnessed: number;
  readonly live: Sum;
  readonly rest: Sum;
}

export interface Sum {
  readonly count: number;
  /** Sum of checksums modulo 2^48. */
  readonly sum: number;
}

export const EMPTY_TALLY: Tally = { witnessed: 0, live: { count: 0, sum: 0 }, rest: { count: 0, sum: 0 } };

const MODULUS = 2 ** 48;

export function plus(sum: Sum, crc: number): Sum {
  return { count: sum.count + 1, sum: (sum.sum + crc) % MODULUS };
}

export function minus(sum: Sum, crc: number): Sum {
  return { count: sum.count - 1, sum: (sum.sum - crc + MODULUS) % MODULUS };
}

export function sumOf(records: readonly JournalRecord[]): Sum {
  return records.reduce((sum, record) => plus(sum, recordChecksum(record)), EMPTY_TALLY.live);
}

export function sameSum(a: Sum, b: Sum): boolean {
  return a.count === b.count && a.sum === b.sum;
}

/** The row the database keeps it as, checksum last. */
export type TallyRow = readonly [witnessed: number, lc: number, ls: number, rc: number, rs: number, crc: number];

export function tallyRow({ witnessed, live, rest }: Tally): TallyRow {
  const numbers = [witnessed, live.count, live.sum, rest.count, rest.sum] as const;
  return [...numbers, numbersChecksum(numbers)];
}

/** `undefined` when the checksum does not match, or a number is none. */
export function tallyOf(row: TallyRow): Tally | undefined {
  const [witnessed, lc, ls, rc, rs, crc] = row;
  if (row.some((value) => typeof value !== 'number')) return undefined;
  if (numbersChecksum([witnessed, lc, ls, rc, rs]) !== crc) return undefined;
  return { witnessed, live: { count: lc, sum: ls }, rest: { count: rc, sum: rs } };
}
