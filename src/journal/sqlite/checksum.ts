import { crc32 } from 'node:zlib';
import type { JournalRecord } from '../../authority/ports.ts';
import { EVENT_CODES } from './event-codes.ts';
import type { JournalRow } from '../../model/event.ts';

const NUMBER_BYTES = 8;

/** CRC-32 over every column of a row: SQLite itself does not notice a flipped bit inside a value. */
export function rowChecksum(row: JournalRow): number {
  const { seq, atMs, actionSeq, attempt, event, audit, eventHash, root } = row;
  const numbers = [seq, atMs, EVENT_CODES[row.kind], actionSeq, attempt, event.length, audit.length];
  return [event, audit, eventHash, root].reduce(extended, crc32(packed(numbers)));
}

/** CRC-32 over every column of a record. */
export function recordChecksum(record: JournalRecord): number {
  const { table, key, order, live, value } = record;
  const start = crc32(packed([order, live ? 1 : 0, table.length, key.length, value.length]));
  return extended(crc32(`${table}${key}`, start), value);
}

/** CRC-32 over whole or fractional numbers, as 64-bit floats. */
export function numbersChecksum(numbers: readonly number[]): number {
  return crc32(packed(numbers));
}

/** Nothing leaves a checksum as it is; `crc32` of no bytes would begin again at 0. */
function extended(crc: number, bytes: Uint8Array): number {
  return bytes.length === 0 ? crc : crc32(bytes, crc);
}

/** Enough for the numbers of any row; used anew for every checksum, which is taken before the next one begins. */
const scratch = new DataView(new ArrayBuffer(8 * NUMBER_BYTES));

function packed(numbers: readonly number[]): Uint8Array {
  for (const [at, number] of numbers.entries()) scratch.setFloat64(at * NUMBER_BYTES, number, true);
  return new Uint8Array(scratch.buffer, 0, numbers.length * NUMBER_BYTES);
}
