import { CountersignError } from '../../base/errors.ts';
import { nobleCrypto } from '../../crypto/noble.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { Digest } from '../../model/ids.ts';
import type { Journal, JournalBatch, JournalRecord, RecordTable } from '../../authority/ports.ts';
import { assertLimit, EMPTY_HEAD, headAfter, type ChainHead } from '../chain.ts';
import type { JournalRow } from '../../model/event.ts';

/** A journal that keeps everything and forgets it with the process; it says so with `durable: false`. */
export function memoryJournal(options: { readonly sha256?: Sha256 } = {}): Journal {
  return new MemoryJournal(options.sha256 ?? nobleCrypto.sha256);
}

class MemoryJournal implements Journal {
  readonly health = { state: 'sound' } as const;
  readonly durable = false;
  readonly #sha256: Sha256;
  readonly #rows: JournalRow[] = [];
  readonly #tables = new Map<RecordTable, Map<string, JournalRecord>>();
  readonly #blobs = new Map<Digest, Uint8Array>();
  #head: ChainHead = EMPTY_HEAD;
  #closed = false;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  head(): ChainHead {
    this.#assertOpen();
    return this.#head;
  }

  // oxlint-disable-next-line require-await -- reason: a broken batch is a rejection, as in every other journal
  async commit(batch: JournalBatch): Promise<void> {
    this.#assertOpen();
    this.#head = headAfter(this.#sha256, this.#head, batch);
    for (const row of batch.rows) this.#rows.push(row);
    for (const { table, key } of batch.drops) this.#table(table).delete(key);
    for (const record of batch.puts) this.#table(record.table).set(record.key, record);
    for (const { hash, bytes } of batch.blobs) this.#blobs.set(hash, bytes);
  }

  rows(fromSeq: number, limit: number): readonly JournalRow[] {
    this.#assertOpen();
    assertLimit(limit);
    const from = Math.max(fromSeq - 1, 0);
    return this.#rows.slice(from, from + limit);
  }

  rowsOf(actionSeq: number, limit: number): readonly JournalRow[] {
    this.#assertOpen();
    assertLimit(limit);
    const rows = this.#rows.filter((row) => row.actionSeq === actionSeq && actionSeq > 0);
    return rows.slice(Math.max(rows.length - limit, 0));
  }

  record(table: RecordTable, key: string): JournalRecord | undefined {
    this.#assertOpen();
    return this.#table(table).get(key);
  }

  liveRecords(table: RecordTable): readonly JournalRecord[] {
    return this.#sorted(table)
      .filter((record) => record.live)
      .toReversed();
  }

  recordsBefore(table: RecordTable, order: number, limit: number): readonly JournalRecord[] {
    assertLimit(limit);
    return this.#sorted(table)
      .filter((record) => record.order < order)
      .slice(0, limit);
  }

  blob(hash: Digest): Uint8Array | undefined {
    this.#assertOpen();
    return this.#blobs.get(hash);
  }

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  /** Newest first; records of one order by falling key. */
  #sorted(table: RecordTable): readonly JournalRecord[] {
    this.#assertOpen();
    return [...this.#table(table).values()].toSorted((a, b) => b.order - a.order || (a.key < b.key ? 1 : -1));
  }

  #table(table: RecordTable): Map<string, JournalRecord> {
    const found = this.#tables.get(table) ?? new Map<string, JournalRecord>();
    this.#tables.set(table, found);
    return found;
  }

  #assertOpen(): void {
    if (this.#closed) throw new CountersignError('closed', 'The journal is closed.');
  }
}
