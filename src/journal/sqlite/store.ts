import type { Database, Statement } from 'better-sqlite3';
import { assert } from '../../base/assert.ts';
import { fromHex } from '../../base/bytes.ts';
import type { JournalBatch, JournalRecord } from '../../authority/ports.ts';
import { recordChecksum, rowChecksum } from './checksum.ts';
import { EVENT_CODES } from './event-codes.ts';
import { minus, plus, tallyRow, type Tally } from './tally.ts';
import type { JournalRow } from '../../model/event.ts';

type Bytes = Uint8Array;

/** The writing half of the database. */
export class Store {
  readonly #database: Database;
  readonly #begin: Statement<[]>;
  readonly #commit: Statement<[]>;
  readonly #rollback: Statement<[]>;
  readonly #putRow: Statement<[number, number, number, number, number, Bytes, Bytes, Bytes, Bytes, number]>;
  readonly #old: Statement<[string, string], { live: number; crc: number }>;
  readonly #putRecord: Statement<[string, string, number, number, Bytes, number]>;
  readonly #dropRecord: Statement<[string, string]>;
  readonly #putBlob: Statement<[Bytes, Bytes]>;
  readonly #putTally: Statement<[...ReturnType<typeof tallyRow>]>;
  #tally: Tally;

  constructor(database: Database, tally: Tally) {
    this.#database = database;
    this.#tally = tally;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#rollback = database.prepare('ROLLBACK');
    this.#putRow = database.prepare('INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
    this.#old = database.prepare('SELECT live, crc FROM records WHERE tbl = ? AND key = ?');
    this.#putRecord = database.prepare(
      `INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET ord = excluded.ord, live = excluded.live, value = excluded.value, crc = excluded.crc`,
    );
    this.#dropRecord = database.prepare('DELETE FROM records WHERE tbl = ? AND key = ?');
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
      tally = this.#without(table, key, tally);
      this.#dropRecord.run(table, key);
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
    const { table, key, order, live, value } = record;
    const crc = recordChecksum(record);
    const tally = this.#without(table, key, before);
    this.#putRecord.run(table, key, order, live ? 1 : 0, value, crc);
    return live ? { ...tally, live: plus(tally.live, crc) } : { ...tally, rest: plus(tally.rest, crc) };
  }

  #without(table: string, key: string, tally: Tally): Tally {
    const old = this.#old.get(table, key);
    if (old === undefined) return tally;
    return old.live === 1
      ? { ...tally, live: minus(tally.live, old.crc) }
      : { ...tally, rest: minus(tally.rest, old.crc) };
  }
}
