import { crc32 } from 'node:zlib';
import { equalBytes } from '../../base/bytes.ts';
import type { JournalRow } from '../../authority/ports.ts';
import type { EventKind } from '../../model/event.ts';
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
const AT = {
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

/** The record in a slot; `undefined` when the slot holds none, or a damaged one. */
export function decodeHeadRecord(slot: Uint8Array): HeadRecord | undefined {
  if (slot.length !== HEAD_RECORD_BYTES) return undefined;
  const view = new DataView(slot.buffer, slot.byteOffset, slot.length);
  if (view.getUint32(AT.magic, true) !== MAGIC) return undefined;
  if (view.getUint32(AT.crc, true) !== crc32(slot.subarray(0, AT.crc))) return undefined;
  const kind = eventKindOf(view.getUint8(AT.kind));
  if (kind === undefined) return undefined;
  return {
    kind,
    seq: Number(view.getBigUint64(AT.seq, true)),
    actionSeq: Number(view.getBigUint64(AT.actionSeq, true)),
    attempt: view.getUint32(AT.attempt, true),
    eventHash: slot.slice(AT.eventHash, AT.eventHash + HASH_BYTES),
    root: slot.slice(AT.root, AT.root + HASH_BYTES),
    previousRoot: slot.slice(AT.previousRoot, AT.previousRoot + HASH_BYTES),
  };
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
