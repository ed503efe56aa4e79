import { expect, test } from 'vitest';
import { toHex } from '../../../src/base/bytes.ts';
import { EVENT_CODES, eventKindOf } from '../../../src/journal/sqlite/event-codes.ts';
import { decodeHeadRecord, encodeHeadRecord, type HeadRecord } from '../../../src/journal/sqlite/head-record.ts';

const RECORD: HeadRecord = {
  seq: 4_294_967_298,
  kind: 'intent-recorded',
  actionSeq: 12,
  attempt: 3,
  eventHash: new Uint8Array(32).fill(0xe1),
  root: new Uint8Array(32).fill(0x52),
  previousRoot: new Uint8Array(32).fill(0x51),
};

/** Frozen, as docs/wire.md says: magic, kind, zeros, seq, action, attempt, event hash, root, root before, CRC-32. */
const BYTES = [
  '43534831',
  '14',
  '000000',
  '0200000001000000',
  '0c00000000000000',
  '03000000',
  'e1'.repeat(32),
  '52'.repeat(32),
  '51'.repeat(32),
  '6da5f131',
].join('');

/** Frozen: a number on disk means the same for ever. */
const CODES = {
  opened: 1,
  started: 2,
  stopped: 3,
  'device-added': 4,
  'device-right': 5,
  'session-opened': 6,
  proposed: 7,
  'decision-taken': 8,
  'decision-refused': 9,
  'notices-told': 10,
  checkpointed: 11,
  quarantined: 12,
  approved: 13,
  'approval-withdrawn': 14,
  'attention-raised': 15,
  reissued: 16,
  held: 17,
  released: 18,
  rejected: 19,
  'intent-recorded': 20,
  'attempt-voided': 21,
  applied: 22,
  failed: 23,
  doubted: 24,
  'not-applied': 25,
  retried: 26,
  'revert-begun': 27,
  reverted: 28,
  'revert-refused': 29,
  'revert-doubted': 30,
  contradicted: 31,
  'rule-added': 32,
  'rule-removed': 33,
  'mode-set': 34,
  paused: 35,
  resumed: 36,
};

test('[F10] the bytes of a head record are frozen', () => {
  expect(toHex(encodeHeadRecord(RECORD))).toBe(BYTES);
  expect(decodeHeadRecord(Buffer.from(BYTES, 'hex'), 0)).toEqual(RECORD);
});

test('[F10] the numbers of the event kinds are frozen', () => {
  expect(EVENT_CODES).toEqual(CODES);
  for (const [kind, code] of Object.entries(CODES)) expect(eventKindOf(code)).toBe(kind);
  expect([eventKindOf(0), eventKindOf(37), eventKindOf(255)]).toEqual([undefined, undefined, undefined]);
});

test('[F3] a record with any one bit flipped is no record', () => {
  const whole = Buffer.from(encodeHeadRecord(RECORD));
  for (let bit = 0; bit < whole.length * 8; bit += 1) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(decodeHeadRecord(flipped, 0), `bit ${bit}`).toBeUndefined();
  }
});

test('a record that is cut off is no record', () => {
  const whole = Buffer.from(encodeHeadRecord(RECORD));
  expect(decodeHeadRecord(whole.subarray(0, 127), 0)).toBeUndefined();
  expect(decodeHeadRecord(whole, 1)).toBeUndefined();
  expect(decodeHeadRecord(whole, -128)).toBeUndefined();
});
