import { expect, test } from 'vitest';
import { encodeHeadRecord, headRecordOf } from '../../../src/journal/sqlite/head-record.ts';
import { readSegment, recordsOf } from '../../../src/journal/sqlite/head-segment.ts';
import { rowsAfter, START, type End } from '../../contract/journal-rows.ts';

const SLOT = 128;

/** Head records of a history of so many rows, with blank slots after them. */
function segment(rows: number, blanks: number, from = 1): Buffer {
  let before: End = START;
  const records = rowsAfter(
    START,
    Array.from({ length: rows }, () => ({})),
  ).map((row) => {
    const record = headRecordOf(row, before.root);
    before = row;
    return record;
  });
  return Buffer.concat([...records.slice(from - 1).map(encodeHeadRecord), Buffer.alloc(blanks * SLOT)]);
}

function blanked(bytes: Buffer, slot: number): Buffer {
  return Buffer.from(bytes.fill(0, slot * SLOT, (slot + 1) * SLOT));
}

function scribbled(bytes: Buffer, slot: number): Buffer {
  return Buffer.from(bytes.fill(7, slot * SLOT + 50, slot * SLOT + 60));
}

const SOUND = { holes: [], traces: [], broken: undefined };

test('reads whole records and the blank space after them', () => {
  const found = readSegment(segment(3, 5), 'first');
  expect(found).toMatchObject({ base: 1, whole: [1, 2, 3], ...SOUND });
  expect(recordsOf(found).map((record) => record.seq)).toEqual([1, 2, 3]);
  expect([found.record(0), found.record(4)]).toEqual([undefined, undefined]);
});

test('a later file begins anywhere; the first one begins with row 1', () => {
  expect(readSegment(segment(9, 2, 6), 'later')).toMatchObject({ base: 6, whole: [6, 7, 8, 9], ...SOUND });
  expect(readSegment(segment(9, 2, 6), 'first').broken).toBe('older files are missing');
});

test('nothing at all is an empty first file, and no later one', () => {
  expect(readSegment(Buffer.alloc(0), 'first')).toMatchObject({ base: 1, whole: [], ...SOUND });
  expect(readSegment(Buffer.alloc(SLOT), 'first')).toMatchObject({ base: 1, whole: [], ...SOUND });
  expect(readSegment(Buffer.alloc(SLOT), 'later').broken).toBe('the newest file holds no record');
});

test('a damaged or blank slot before a whole one is a hole', () => {
  for (const damage of [blanked, scribbled])
    expect(readSegment(damage(segment(4, 2), 1), 'first')).toMatchObject({ whole: [1, 3, 4], holes: [2], traces: [] });
  expect(readSegment(blanked(segment(4, 2), 0), 'first')).toMatchObject({ base: 1, whole: [2, 3, 4], holes: [1] });
});

test('what stands after the last whole record is a trace, torn files included', () => {
  expect(readSegment(scribbled(segment(4, 2), 3), 'first')).toMatchObject({ whole: [1, 2, 3], holes: [], traces: [4] });
  expect(readSegment(scribbled(segment(2, 9), 7), 'first')).toMatchObject({ whole: [1, 2], holes: [], traces: [8] });
  expect(readSegment(segment(2, 0).subarray(0, SLOT + 60), 'first')).toMatchObject({ whole: [1], traces: [2] });
});

test('whole records that contradict each other are a break', () => {
  const swapped = segment(4, 0);
  const second = Buffer.from(swapped.subarray(SLOT, 2 * SLOT));
  swapped.copy(swapped, SLOT, 2 * SLOT, 3 * SLOT);
  second.copy(swapped, 2 * SLOT);
  expect(readSegment(swapped, 'first').broken).toMatch(/row 2 is out of place/);

  const other = segment(4, 0);
  const [, , third] = rowsAfter(START, [{}, { bytes: 3 }, {}]);
  if (third === undefined) throw new Error('three rows were made');
  Buffer.from(encodeHeadRecord(headRecordOf(third, START.root))).copy(other, 2 * SLOT);
  expect(readSegment(other, 'first').broken).toMatch(/row 3 does not chain/);
});
