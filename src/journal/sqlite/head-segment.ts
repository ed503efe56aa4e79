import { equalBytes } from '../../base/bytes.ts';
import { EMPTY_HEAD } from '../chain.ts';
import { decodeHeadRecord, HEAD_RECORD_BYTES, type HeadRecord } from './head-record.ts';

/** What one file of the head log holds. Slot 0 carries row `base`, the slot after it the next row, and so on. */
export interface HeadSegment {
  readonly base: number;
  /** Every whole record, in order. */
  readonly records: readonly HeadRecord[];
  /** Rows whose slot is damaged or blank although a whole record stands after it. */
  readonly holes: readonly number[];
  /** Rows after the last whole record whose slot is not blank: a record torn by a crash, or rot in unused space. */
  readonly traces: readonly number[];
  /** Why whole records contradict each other; `undefined` when they do not. */
  readonly broken: string | undefined;
}

const BLANK = new Uint8Array(HEAD_RECORD_BYTES);

/**
 * Reads all slots of a segment. `first`: no segment precedes it, so that it begins with row 1;
 * any other begins with a copy of the last record before it.
 */
export function readSegment(bytes: Uint8Array, position: 'first' | 'later'): HeadSegment {
  const slots = slotsOf(bytes);
  const whole = slots.filter((slot) => slot.record !== undefined);
  const anchor = whole[0];
  if (anchor?.record === undefined) return withoutRecords(slots, position);
  const base = anchor.record.seq - anchor.index;
  const last = whole.at(-1)?.index ?? anchor.index;
  const records = whole.flatMap((slot) => slot.record ?? []);
  return {
    base,
    records,
    holes: holesOf(whole, base),
    traces: slots.filter((slot) => slot.index > last).map((slot) => base + slot.index),
    broken:
      position === 'first' && base !== 1 ? 'older files of the head log are missing' : breakIn(records, whole, base),
  };
}

interface Slot {
  readonly index: number;
  readonly record: HeadRecord | undefined;
}

/** Every slot that is not blank. A file cut inside a slot leaves a torn one. */
function slotsOf(bytes: Uint8Array): readonly Slot[] {
  const slots: Slot[] = [];
  for (let at = 0, index = 0; at < bytes.length; at += HEAD_RECORD_BYTES, index += 1) {
    const slot = bytes.subarray(at, at + HEAD_RECORD_BYTES);
    if (Buffer.compare(slot, BLANK.subarray(0, slot.length)) === 0) continue;
    slots.push({ index, record: decodeHeadRecord(slot) });
  }
  return slots;
}

function withoutRecords(slots: readonly Slot[], position: 'first' | 'later'): HeadSegment {
  return {
    base: 1,
    records: [],
    holes: [],
    traces: slots.map((slot) => slot.index + 1),
    broken: position === 'later' ? 'the newest file of the head log holds no record' : undefined,
  };
}

function holesOf(whole: readonly Slot[], base: number): readonly number[] {
  const holes: number[] = [];
  let expected = 0;
  for (const slot of whole) {
    for (; expected < slot.index; expected += 1) holes.push(base + expected);
    expected = slot.index + 1;
  }
  return holes;
}

function breakIn(records: readonly HeadRecord[], whole: readonly Slot[], base: number): string | undefined {
  let before: HeadRecord | undefined;
  for (const [at, record] of records.entries()) {
    if (record.seq !== base + (whole[at]?.index ?? 0))
      return `the head log's record of row ${record.seq} is out of place`;
    const root =
      before?.seq === record.seq - 1 ? before.root : record.seq === 1 ? EMPTY_HEAD.root : record.previousRoot;
    if (!equalBytes(record.previousRoot, root)) return `the head log's record of row ${record.seq} does not chain`;
    before = record;
  }
  return undefined;
}
