import type { Database, Statement } from 'better-sqlite3';
import { assert } from '../../base/assert.ts';
import { fromHex, toHex } from '../../base/bytes.ts';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { Digest } from '../../model/ids.ts';
import type { JournalRecord, RecordTable } from '../../authority/ports.ts';
import { assertLimit, EMPTY_HEAD, type ChainHead } from '../chain.ts';
import { recordChecksum, rowChecksum } from './checksum.ts';
import { saysDamaged } from './database.ts';
import { eventKindOf } from './event-codes.ts';
import { EMPTY_TALLY, tallyOf, type Tally, type TallyRow } from './tally.ts';
import type { JournalRow } from '../../model/event.ts';

interface RowColumns {
  readonly seq: number;
  readonly at_ms: number;
  readonly kind: number;
  readonly action_seq: number;
  readonly attempt: number;
  readonly event: Uint8Array;
  readonly audit: Uint8Array;
  readonly event_hash: Uint8Array;
  readonly root: Uint8Array;
  readonly crc: number;
}

interface RecordColumns {
  readonly tbl: RecordTable;
  readonly key: string;
  readonly ord: number;
  readonly live: number;
  readonly value: Uint8Array;
  readonly crc: number;
}

/**
 * The reading half of the database. Every value is checked against its checksum or hash before it is given out.
 *
 * Throws: `quarantined` for a value that is damaged; SQLite's own errors for a disk that is.
 */
export class Reads {
  readonly #sha256: Sha256;
  readonly #head: Statement<[], { seq: number; root: Uint8Array }>;
  readonly #tally: Statement<[], TallyRow>;
  readonly #rows: Statement<[number, number], RowColumns>;
  readonly #rowsOf: Statement<[number, number], RowColumns>;
  readonly #record: Statement<[RecordTable, string], RecordColumns>;
  readonly #live: Statement<[RecordTable], RecordColumns>;
  readonly #before: Statement<[{ tbl: RecordTable; ord: number; limit: number }], RecordColumns>;
  readonly #allLive: Statement<[], RecordColumns>;
  readonly #all: Statement<[], RecordColumns>;
  readonly #blob: Statement<[Uint8Array], Uint8Array>;
  readonly #hashes: Statement<[], Uint8Array>;

  constructor(database: Database, sha256: Sha256) {
    this.#sha256 = sha256;
    this.#head = database.prepare('SELECT seq, root FROM rows ORDER BY seq DESC LIMIT 1');
    // reason: `raw` turns rows into arrays, which the typings do not follow
    this.#tally = database
      .prepare('SELECT witnessed, live_count, live_sum, rest_count, rest_sum, crc FROM tally WHERE id = 1')
      .raw() as Statement<[], TallyRow>;
    this.#rows = database.prepare('SELECT * FROM rows WHERE seq >= ? ORDER BY seq LIMIT ?');
    this.#rowsOf = database.prepare(
      'SELECT * FROM rows WHERE action_seq = ? AND action_seq > 0 ORDER BY seq DESC LIMIT ?',
    );
    this.#record = database.prepare('SELECT * FROM records WHERE tbl = ? AND key = ?');
    this.#live = database.prepare('SELECT * FROM records WHERE live = 1 AND tbl = ? ORDER BY ord, key');
    // One index serves both: what is live is asked for alone at boot, and merged with the rest for paging.
    this.#before = database.prepare(`
      SELECT * FROM (SELECT * FROM records WHERE live = 0 AND tbl = @tbl AND ord < @ord ORDER BY ord DESC, key DESC LIMIT @limit)
      UNION ALL
      SELECT * FROM (SELECT * FROM records WHERE live = 1 AND tbl = @tbl AND ord < @ord ORDER BY ord DESC, key DESC LIMIT @limit)
      ORDER BY ord DESC, key DESC LIMIT @limit`);
    this.#allLive = database.prepare('SELECT * FROM records WHERE live = 1');
    this.#all = database.prepare('SELECT * FROM records NOT INDEXED');
    this.#blob = database.prepare<[Uint8Array], Uint8Array>('SELECT bytes FROM blobs WHERE hash = ?').pluck();
    this.#hashes = database.prepare<[], Uint8Array>('SELECT hash FROM blobs').pluck();
  }

  head(): ChainHead {
    const row = this.#head.get();
    return row === undefined ? EMPTY_HEAD : { seq: row.seq, root: plain(row.root) };
  }

  tally(): Tally {
    const row = this.#tally.get();
    if (row === undefined) return EMPTY_TALLY;
    return tallyOf(row) ?? damaged('its tally');
  }

  rows(fromSeq: number, limit: number): readonly JournalRow[] {
    assertLimit(limit);
    const from = Math.max(fromSeq, 1);
    const rows = noticing(() => this.#rows.all(from, limit)).map(rowOf);
    const gap = rows.findIndex((row, at) => row.seq !== from + at);
    return gap === -1 ? rows : damaged(`row ${from + gap}, which is missing`);
  }

  rowsOf(actionSeq: number, limit: number): readonly JournalRow[] {
    assertLimit(limit);
    return noticing(() => this.#rowsOf.all(actionSeq, limit))
      .map(rowOf)
      .toReversed();
  }

  record(table: RecordTable, key: string): JournalRecord | undefined {
    const columns = noticing(() => this.#record.get(table, key));
    return columns && recordOf(columns);
  }

  liveRecords(table: RecordTable): readonly JournalRecord[] {
    return noticing(() => this.#live.all(table)).map(recordOf);
  }

  recordsBefore(table: RecordTable, order: number, limit: number): readonly JournalRecord[] {
    assertLimit(limit);
    return noticing(() => this.#before.all({ tbl: table, ord: order, limit })).map(recordOf);
  }

  blob(hash: Digest): Uint8Array | undefined {
    const key = fromHex(hash);
    assert(key !== undefined, 'a digest is hexadecimal');
    const found = noticing(() => this.#blob.get(key));
    if (found === undefined) return undefined;
    const bytes = plain(found);
    return toHex(this.#sha256(bytes)) === hash ? bytes : damaged(`blob ${hash}`);
  }

  /** Records of every table that are read at boot. */
  allLive(): readonly JournalRecord[] {
    return noticing(() => this.#allLive.all()).map(recordOf);
  }

  /** For verification: every record and every blob there is, one at a time. */
  *allRecords(): Generator<JournalRecord> {
    for (const columns of this.#all.iterate()) yield recordOf(columns);
  }

  *allBlobHashes(): Generator<string> {
    for (const hash of this.#hashes.iterate()) yield toHex(plain(hash));
  }
}

function rowOf(columns: RowColumns): JournalRow {
  const { seq, at_ms, action_seq, attempt } = columns;
  if (!areNumbers([seq, at_ms, action_seq, attempt])) return damaged('a row with something else for a number');
  const kind = eventKindOf(columns.kind);
  if (kind === undefined) return damaged(`row ${columns.seq}`);
  const row: JournalRow = {
    kind,
    seq: columns.seq,
    atMs: columns.at_ms,
    actionSeq: columns.action_seq,
    attempt: columns.attempt,
    event: plain(columns.event),
    audit: plain(columns.audit),
    eventHash: plain(columns.event_hash),
    root: plain(columns.root),
  };
  return rowChecksum(row) === columns.crc ? row : damaged(`row ${columns.seq}`);
}

function recordOf(columns: RecordColumns): JournalRecord {
  if (typeof columns.key !== 'string' || typeof columns.tbl !== 'string') return damaged('a record without a name');
  if (!areNumbers([columns.ord]) || (columns.live !== 0 && columns.live !== 1))
    return damaged('a record with something else for a number');
  const record: JournalRecord = {
    table: columns.tbl,
    key: columns.key,
    order: columns.ord,
    live: columns.live === 1,
    value: plain(columns.value),
  };
  return recordChecksum(record) === columns.crc ? record : damaged(`the ${columns.tbl} record ${columns.key}`);
}

/** A flipped bit can make NULL of a 0, which counts the same in a checksum. */
function areNumbers(values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === 'number');
}

function noticing<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    // SQLite names what it finds broken; everything else is the disk's or the process's fault.
    if (saysDamaged(cause)) damaged(messageOf(cause), cause);
    throw cause;
  }
}

function damaged(what: string, cause?: unknown): never {
  throw new CountersignError('quarantined', `The journal is damaged: ${what}.`, { cause });
}

/** The same bytes without Buffer's own ways of printing and slicing. Throws for what is no blob: a flipped type. */
function plain(buffer: Uint8Array): Uint8Array {
  if (!(buffer instanceof Uint8Array)) return damaged('bytes that are no bytes');
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
