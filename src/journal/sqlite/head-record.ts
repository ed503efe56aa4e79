import { crc32 } from 'node:zlib';
import { equalBytes } from '../../base/bytes.ts';
import type { EventKind, JournalRow } from '../../model/event.ts';
import { HASH_BYTES } from '../chain.ts';
import { EVENT_CODES, eventKindOf } from './event-codes.ts';

/** The head log's witness of one journal row. `docs/wire.md` has the layout byte by byte. */
export interface HeadRecord {
  readonly seq: number;
  readonly kind: EventKind;
  readonly actionSeq: number;
  readonly attempt: number;
  readonly eventHash: Uint8Array;
  /** The chain root after the row, and the one before it, which links the record to its predecessor. */
  readonly root: Uint8Array;
  readonly previousRoot: Uint8Array;
}

export const HEAD_RECORD_BYTES = 128;

/** `CSH1`: a head record, version 1. */
const MAGIC = 0x31485343;
/** Byte offsets within a record. */
export const HEAD_RECORD_AT = {
  magic: 0,
  kind: 4,
  seq: 8,
  actionSeq: 16,
  attempt: 24,
  eventHash: 28,
  root: 60,
  previousRoot: 92,
  crc: 124,
};
const AT = HEAD_RECORD_AT;

export function headRecordOf(row: JournalRow, previousRoot: Uint8Array): HeadRecord {
  const { seq, kind, actionSeq, attempt, eventHash, root } = row;
  return { seq, kind, actionSeq, attempt, eventHash, root, previousRoot };
}

/** The 128 bytes of a record. */
export function encodeHeadRecord(record: HeadRecord): Uint8Array {
  const bytes = new Uint8Array(HEAD_RECORD_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(AT.magic, MAGIC, true);
  view.setUint8(AT.kind, EVENT_CODES[record.kind]);
  view.setBigUint64(AT.seq, BigInt(record.seq), true);
  view.setBigUint64(AT.actionSeq, BigInt(record.actionSeq), true);
  view.setUint32(AT.attempt, record.attempt, true);
  bytes.set(record.eventHash, AT.eventHash);
  bytes.set(record.root, AT.root);
  bytes.set(record.previousRoot, AT.previousRoot);
  view.setUint32(AT.crc, crc32(bytes.subarray(0, AT.crc)), true);
  return bytes;
}

/** Does a whole record stand at this offset? The one test that decides between a record and damage. */
export function isHeadRecord(bytes: Buffer, at: number): boolean {
  if (at < 0 || at + HEAD_RECORD_BYTES > bytes.length) return false;
  if (bytes.readUInt32LE(at + AT.magic) !== MAGIC) return false;
  if (eventKindOf(bytes.readUInt8(at + AT.kind)) === undefined) return false;
  return bytes.readUInt32LE(at + AT.crc) === crc32(bytes.subarray(at, at + AT.crc));
}

/** The record at an offset; `undefined` when there is none, or a damaged one. */
export function decodeHeadRecord(bytes: Buffer, at: number): HeadRecord | undefined {
  if (!isHeadRecord(bytes, at)) return undefined;
  const kind = eventKindOf(bytes.readUInt8(at + AT.kind));
  const hashAt = (offset: number) => new Uint8Array(bytes.subarray(at + offset, at + offset + HASH_BYTES));
  return (
    kind && {
      kind,
      seq: Number(bytes.readBigUInt64LE(at + AT.seq)),
      actionSeq: Number(bytes.readBigUInt64LE(at + AT.actionSeq)),
      attempt: bytes.readUInt32LE(at + AT.attempt),
      eventHash: hashAt(AT.eventHash),
      root: hashAt(AT.root),
      previousRoot: hashAt(AT.previousRoot),
    }
  );
}

/** Why a record does not witness this row; `undefined` when it does. */
export function mismatch(record: HeadRecord, row: JournalRow): string | undefined {
  const same =
    record.seq === row.seq &&
    record.kind === row.kind &&
    record.actionSeq === row.actionSeq &&
    record.attempt === row.attempt &&
    equalBytes(record.eventHash, row.eventHash) &&
    equalBytes(record.root, row.root);
  return same ? undefined : `the head log and the database disagree about row ${row.seq}`;
}
