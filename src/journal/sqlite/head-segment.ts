import { EMPTY_HEAD, HASH_BYTES } from '../chain.ts';
import {
  decodeHeadRecord,
  HEAD_RECORD_AT as AT,
  HEAD_RECORD_BYTES,
  isHeadRecord,
  type HeadRecord,
} from './head-record.ts';

/** What one file of the head log holds. Slot 0 carries row `base`, the slot after it the next row, and so on. */
export interface HeadSegment {
  readonly base: number;
  /** Rows of the whole records, in order. */
  readonly whole: readonly number[];
  /** Rows whose slot is damaged or blank although a whole record stands after it. */
  readonly holes: readonly number[];
  /** Rows after the last whole record whose slot is not blank: a record torn by a crash, or rot in unused space. */
  readonly traces: readonly number[];
  /** Why whole records contradict each other; `undefined` when they do not. */
  readonly broken: string | undefined;
  /** The record of a row; `undefined` when it is not whole or not in this file. */
  record(seq: number): HeadRecord | undefined;
}

/**
 * Reads all slots of a segment. `first`: no segment precedes it, so that it begins with row 1;
 * any other begins with a copy of the last record before it.
 */
export function readSegment(bytes: Uint8Array, position: 'first' | 'later'): HeadSegment {
  const slots = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const used = usedSlots(slots);
  const whole = used.filter((slot) => isHeadRecord(slots, slot * HEAD_RECORD_BYTES));
  const [first, last] = [whole[0], whole.at(-1)];
  if (first === undefined || last === undefined) return withoutRecords(used, position);
  const base = seqOf(slots, first) - first;
  return {
    base,
    whole: whole.map((slot) => base + slot),
    holes: holesBetween(whole).map((slot) => base + slot),
    traces: used.filter((slot) => slot > last).map((slot) => base + slot),
    broken: position === 'first' && base !== 1 ? 'older files are missing' : breakIn(slots, whole, base),
    record: (seq) => (seq < base ? undefined : decodeHeadRecord(slots, (seq - base) * HEAD_RECORD_BYTES)),
  };
}

/** Decodes every whole record, for who needs them all. */
export function recordsOf(segment: HeadSegment): readonly HeadRecord[] {
  return segment.whole.flatMap((seq) => segment.record(seq) ?? []);
}

const BLANK = Buffer.alloc(HEAD_RECORD_BYTES);

/** Slots that are not blank. A file cut inside a slot leaves a torn one. */
function usedSlots(slots: Buffer): readonly number[] {
  const used: number[] = [];
  for (let at = 0; at < slots.length; at += HEAD_RECORD_BYTES) {
    const end = Math.min(at + HEAD_RECORD_BYTES, slots.length);
    if (slots.compare(BLANK, 0, end - at, at, end) !== 0) used.push(at / HEAD_RECORD_BYTES);
  }
  return used;
}

function seqOf(slots: Buffer, slot: number): number {
  const at = slot * HEAD_RECORD_BYTES + AT.seq;
  return slots.readUInt32LE(at) + slots.readUInt32LE(at + 4) * 2 ** 32;
}

function withoutRecords(used: readonly number[], position: 'first' | 'later'): HeadSegment {
  return {
    base: 1,
    whole: [],
    holes: [],
    traces: used.map((slot) => slot + 1),
    broken: position === 'later' ? 'the newest file holds no record' : undefined,
    record: () => undefined,
  };
}

function holesBetween(whole: readonly number[]): readonly number[] {
  const holes: number[] = [];
  let expected = 0;
  for (const slot of whole) {
    for (; expected < slot; expected += 1) holes.push(expected);
    expected = slot + 1;
  }
  return holes;
}

/** Each record stands in the slot of its row, and begins with the root its predecessor ends with. */
function breakIn(slots: Buffer, whole: readonly number[], base: number): string | undefined {
  let before: number | undefined;
  for (const slot of whole) {
    const seq = base + slot;
    if (seqOf(slots, slot) !== seq) return `the record of row ${seq} is out of place`;
    const start = slot * HEAD_RECORD_BYTES + AT.previousRoot;
    const chains =
      before === slot - 1
        ? sameHash(slots, before * HEAD_RECORD_BYTES + AT.root, slots, start)
        : seq !== 1 || sameHash(NO_ROOT, 0, slots, start);
    if (!chains) return `the record of row ${seq} does not chain`;
    before = slot;
  }
  return undefined;
}

const NO_ROOT = Buffer.from(EMPTY_HEAD.root);

function sameHash(a: Buffer, atA: number, b: Buffer, atB: number): boolean {
  return a.compare(b, atB, atB + HASH_BYTES, atA, atA + HASH_BYTES) === 0;
}
