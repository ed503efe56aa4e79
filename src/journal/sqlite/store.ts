import type { Database, Statement } from 'better-sqlite3';
import { assert } from '../../base/assert.ts';
import { fromHex } from '../../base/bytes.ts';
import type { JournalBatch, JournalRecord } from '../../authority/ports.ts';
import { recordChecksum, rowChecksum } from './checksum.ts';
import { EVENT_CODES } from './event-codes.ts';
import { minus, plus, tallyRow, type Tally } from './tally.ts';
import type { JournalRow } from '../../model/event.ts';

type Bytes = Uint8Array;

/** Records whose place is remembered; a few hundred bytes each. */
const KNOWN_MAX = 65_536;

/** The writing half of the database. */
export class Store {
  readonly #database: Database;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #putRow: Statement<[number, number, number, number, number, Bytes, Bytes, Bytes, Bytes, number]>;
  readonly #find: Statement<[string, string], Found>;
  readonly #addRecord: Statement<[string, string, number, number, Bytes, number]>;
  readonly #setValue: Statement<[Bytes, number, number]>;
  readonly #setRecord: Statement<[number, number, Bytes, number, number]>;
  readonly #dropRecord: Statement<[number]>;
  readonly #putBlob: Statement<[Bytes, Bytes]>;
  readonly #putTally: Statement<[...ReturnType<typeof tallyRow>]>;
  /** By name, where records stand that were written here and will be again: what is live, and what is written anew. */
  readonly #known = new Map<string, Found>();
  #tally: Tally;

  constructor(database: Database, tally: Tally) {
    this.#database = database;
    this.#tally = tally;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    this.#putRow = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    // Found once by its name, then meant by its row: every search by name is another walk down a tree.
    this.#find = database.prepare('SELECT rowid AS row, ord, live, crc FROM records WHERE tbl = ? AND key = ?');
    // Most of what is not known is new, and is found to be by the walk that adds it.
    this.#addRecord = database.prepare(
      'INSERT INTO records VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tbl, key) DO NOTHING',
    );
    // Naming a column of the index makes SQLite write the index, even where the column stays as it is.
    this.#setValue = database.prepare('UPDATE records SET value = ?, crc = ? WHERE rowid = ?');
    this.#setRecord = database.prepare('UPDATE records SET ord = ?, live = ?, value = ?, crc = ? WHERE rowid = ?');
    this.#dropRecord = database.prepare('DELETE FROM records WHERE rowid = ?');
    this.#putBlob = database.prepare('INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#putTally = database.prepare('INSERT OR REPLACE INTO tally VALUES (1, ?, ?, ?, ?, ?, ?)');
  }

  /**
   * Stores the batches in one transaction that is durable on return. `witnessed`: the head log's newest row before it.
   *
   * Throws: whatever SQLite throws; the transaction is rolled back then, unless the error was that of the disk.
   */
  write(batches: readonly JournalBatch[], witnessed: number): void {
    this.#begin.run();
    try {
      let tally: Tally = { ...this.#tally, witnessed };
      for (const batch of batches) tally = this.#writeBatch(batch, tally);
      this.#putTally.run(...tallyRow(tally));
      this.#commit.run();
      this.#tally = tally;
    } catch (cause) {
      this.#known.clear();
      // A full disk makes SQLite roll back by itself.
      if (this.#database.inTransaction) this.#rollback.run();
      throw cause;
    }
  }

  /** Inside the caller's transaction: records that a migration makes of what is there. */
  add(records: readonly JournalRecord[]): void {
    for (const record of records) this.#tally = this.#writeRecord(record, this.#tally);
    this.#putTally.run(...tallyRow(this.#tally));
  }

  #writeBatch(batch: JournalBatch, before: Tally): Tally {
    for (const row of batch.rows) this.#writeRow(row);
    for (const { hash, bytes } of batch.blobs) {
      const key = fromHex(hash);
      assert(key !== undefined, 'a digest is hexadecimal');
      this.#putBlob.run(key, bytes);
    }
    let tally = before;
    for (const { table, key } of batch.drops) {
      const name = nameOf(table, key);
      const found = this.#known.get(name) ?? this.#find.get(table, key);
      if (found === undefined) continue;
      tally = without(tally, found);
      assert(this.#dropRecord.run(found.row).changes === 1, 'a record is where it was written');
      this.#known.delete(name);
    }
    for (const record of batch.puts) tally = this.#writeRecord(record, tally);
    return tally;
  }

  #writeRow(row: JournalRow): void {
    const { seq, atMs, kind, actionSeq, attempt, event, audit, eventHash, root } = row;
    const crc = rowChecksum(row);
    this.#putRow.run(seq, atMs, EVENT_CODES[kind], actionSeq, attempt, event, audit, eventHash, root, crc);
  }

  #writeRecord(record: JournalRecord, before: Tally): Tally {
    const crc = recordChecksum(record);
    const name = nameOf(record.table, record.key);
    const known = this.#known.get(name);
    const added = known === undefined ? this.#added(record, crc) : undefined;
    if (added !== undefined) {
      if (record.live) this.#remember(name, added, record, crc);
      return including(before, record.live, crc);
    }
    const found = known ?? this.#find.get(record.table, record.key);
    assert(found !== undefined, 'a record that was not added is there');
    this.#change(found, record, crc);
    // What stops being live is over, and there is no end of it.
    if (record.live || found.live === 0) this.#remember(name, found.row, record, crc);
    else this.#known.delete(name);
    return including(without(before, found), record.live, crc);
  }

  /** The row of a record that is new; `undefined` when there is one of its name. */
  #added({ table, key, order, live, value }: JournalRecord, crc: number): number | undefined {
    const { changes, lastInsertRowid } = this.#addRecord.run(table, key, order, live ? 1 : 0, value, crc);
    return changes === 1 ? Number(lastInsertRowid) : undefined;
  }

  #change(found: Found, { order, live, value }: JournalRecord, crc: number): void {
    const bit = live ? 1 : 0;
    const { changes } =
      found.ord === order && found.live === bit
        ? this.#setValue.run(value, crc, found.row)
        : this.#setRecord.run(order, bit, value, crc, found.row);
    assert(changes === 1, 'a record is where it was written');
  }

  #remember(name: string, row: number, { order, live }: JournalRecord, crc: number): void {
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(name, { row, ord: order, live: live ? 1 : 0, crc });
  }
}

/** A record as it stands before it is written or dropped. */
interface Found {
  readonly row: number;
  readonly ord: number;
  readonly live: number;
  readonly crc: number;
}

/** No table has a blank in its name. */
function nameOf(table: string, key: string): string {
  return `${table} ${key}`;
}

function including(tally: Tally, live: boolean, crc: number): Tally {
  return live ? { ...tally, live: plus(tally.live, crc) } : { ...tally, rest: plus(tally.rest, crc) };
}

function without(tally: Tally, { live, crc }: Found): Tally {
  return live === 1 ? { ...tally, live: minus(tally.live, crc) } : { ...tally, rest: minus(tally.rest, crc) };
}
