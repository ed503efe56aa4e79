import type { Database } from 'better-sqlite3';
import { CountersignError, messageOf } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { Digest } from '../../model/ids.ts';
import type { Journal, JournalBatch, JournalHealth, JournalRecord, RecordTable } from '../../authority/ports.ts';
import { EMPTY_HEAD, type ChainHead } from '../chain.ts';
import { checkpoint } from './database.ts';
import { codeOf } from './disk.ts';
import { Gathering } from './gathering.ts';
import { headRecordOf, type HeadRecord } from './head-record.ts';
import type { HeadLogWriter } from './head-writer.ts';
import type { JournalLimits } from './limits.ts';
import type { Reads } from './reads.ts';
import type { Reserve } from './reserve.ts';
import type { Store } from './store.ts';
import type { JournalRow } from '../../model/event.ts';

export interface WriterParts {
  readonly health: JournalHealth;
  readonly database: Database;
  readonly reads: Reads;
  readonly store: Store;
  readonly headLog: HeadLogWriter;
  readonly reserve: Reserve;
  readonly limits: JournalLimits;
  readonly sha256: Sha256;
  /** The newest record up to which the head log is whole; `undefined` when it has none. */
  readonly last: HeadRecord | undefined;
  /** Runs a task at the end of this turn of the event loop. */
  readonly soon: (run: () => void) => void;
}

/**
 * The writer's journal: one SQLite transaction, then one write and one sync of the head log, for all batches that
 * came in the same turn. It holds the connection and the head log until `close`.
 */
export class SqliteJournal implements Journal {
  readonly health: JournalHealth;
  readonly durable = true;
  readonly #parts: WriterParts;
  readonly #gathering: Gathering;
  #head: ChainHead;
  /** What the head log holds: the newest row of it, and the root there. */
  #witnessed: ChainHead | undefined;
  #state: 'open' | 'closed' = 'open';
  #flushes = 0;
  #poison: CountersignError | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.health = parts.health;
    this.#head = parts.reads.head();
    this.#witnessed = parts.last;
    this.#gathering = new Gathering(parts.sha256, this.#head);
  }

  head(): ChainHead {
    this.#assertUsable();
    return this.#head;
  }

  async commit(batch: JournalBatch): Promise<void> {
    this.#assertUsable();
    const idle = this.#gathering.isEmpty();
    const stored = this.#gathering.join(batch);
    if (idle) this.#parts.soon(() => this.#flush());
    await stored;
  }

  rows(fromSeq: number, limit: number): readonly JournalRow[] {
    return this.#read((reads) => reads.rows(fromSeq, limit));
  }

  rowsOf(actionSeq: number, limit: number): readonly JournalRow[] {
    return this.#read((reads) => reads.rowsOf(actionSeq, limit));
  }

  record(table: RecordTable, key: string): JournalRecord | undefined {
    return this.#read((reads) => reads.record(table, key));
  }

  liveRecords(table: RecordTable): readonly JournalRecord[] {
    return this.#read((reads) => reads.liveRecords(table));
  }

  recordsBefore(table: RecordTable, order: number, limit: number): readonly JournalRecord[] {
    return this.#read((reads) => reads.recordsBefore(table, order, limit));
  }

  blob(hash: Digest): Uint8Array | undefined {
    return this.#read((reads) => reads.blob(hash));
  }

  /** Stores what still waits, moves the WAL into the database file and lets go of the files. */
  // oxlint-disable-next-line require-await -- reason: what fails here is a rejection, as the port says
  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#flush();
    this.#state = 'closed';
    this.#parts.headLog.close();
    // A connection that failed stays open until the process ends: closing it would sync the same file again (EF-5).
    if (this.#poison !== undefined) return;
    try {
      checkpoint(this.#parts.database, 1);
    } catch (cause) {
      throw this.#poisoned(cause);
    }
    this.#parts.database.close();
  }

  /** Stores one group. Synchronous from the first byte to the last, so that nothing joins or reads in between. */
  #flush(): void {
    if (this.#gathering.isEmpty()) return;
    const { waiting, end } = this.#gathering.take();
    try {
      if (this.#poison !== undefined) throw this.#poison;
      this.#storeGroup(
        waiting.map(({ batch }) => batch),
        end,
      );
    } catch (cause) {
      const error = this.#meaning(cause);
      this.#gathering.giveUp(this.#head, error);
      for (const { reject } of waiting) reject(error);
      return;
    }
    for (const { resolve } of waiting) resolve();
    this.#flushes += 1;
    // In a turn of its own: those who wait are told before the checkpoint takes its milliseconds.
    if (this.#flushes % this.#parts.limits.flushesPerTidy === 0) this.#parts.soon(() => this.#tidy());
  }

  #storeGroup(batches: readonly JournalBatch[], end: ChainHead): void {
    const { headLog, reserve } = this.#parts;
    const urgent = batches.some((batch) => batch.urgent === true);
    // While the reserve is gone, what is left of the disk is for outcomes.
    if (!urgent && !reserve.restore()) throw new CountersignError('full', 'The disk is full: nothing new is taken.');
    const records = this.#headRecords(batches);
    withReserve(urgent ? reserve : undefined, (lean) => this.#storeRows(batches, end, { lean }));
    // From here the rows are in the database: a failure leaves it unknown what will be found at the next start.
    try {
      withReserve(reserve, () => headLog.append(records));
    } catch (cause) {
      throw this.#poisoned(cause);
    }
    this.#head = end;
    this.#witnessed = records.at(-1) ?? this.#witnessed;
  }

  #storeRows(batches: readonly JournalBatch[], end: ChainHead, { lean }: { readonly lean: boolean }): void {
    const { headLog, store } = this.#parts;
    const witnessed = this.#witnessed?.seq ?? 0;
    headLog.prepare(end.seq, { settled: witnessed === this.#head.seq, lean });
    store.write(batches, witnessed);
  }

  /** Witnesses of the rows to come, after those of rows that a crash left without one. */
  #headRecords(batches: readonly JournalBatch[]): readonly HeadRecord[] {
    const from = this.#witnessed ?? EMPTY_HEAD;
    const missing = this.#head.seq - from.seq;
    const left = missing === 0 ? [] : this.#parts.reads.rows(from.seq + 1, missing);
    let { root } = from;
    return [...left, ...batches.flatMap((batch) => batch.rows)].map((row) => {
      const record = headRecordOf(row, root);
      ({ root } = row);
      return record;
    });
  }

  #tidy(): void {
    if (this.#state === 'closed' || this.#poison !== undefined) return;
    try {
      this.#parts.reserve.restore();
      checkpoint(this.#parts.database, this.#parts.limits.walPages);
    } catch (cause) {
      this.#poisoned(cause);
    }
  }

  #read<T>(look: (reads: Reads) => T): T {
    this.#assertUsable();
    try {
      return look(this.#parts.reads);
    } catch (cause) {
      throw CountersignError.is(cause) || codeOf(cause) === undefined ? cause : this.#poisoned(cause);
    }
  }

  #assertUsable(): void {
    if (this.#poison !== undefined) throw this.#poison;
    if (this.#state === 'closed') throw new CountersignError('closed', 'The journal is closed.');
  }

  /** A full disk is the one failure after which it is known that nothing was stored. */
  #meaning(cause: unknown): CountersignError {
    if (CountersignError.is(cause) && (cause.code === 'full' || cause === this.#poison)) return cause;
    if (isFull(cause)) return new CountersignError('full', 'The disk is full: nothing was stored.', { cause });
    return this.#poisoned(cause);
  }

  #poisoned(cause: unknown): CountersignError {
    this.#poison ??= new CountersignError('storage', `The journal cannot be written any more: ${messageOf(cause)}.`, {
      cause,
    });
    return this.#poison;
  }
}

/** Runs a write; when the disk is full, gives the reserve free and runs it once more. */
function withReserve(reserve: Reserve | undefined, write: (lean: boolean) => void): void {
  try {
    write(false);
  } catch (cause) {
    if (!isFull(cause) || reserve?.release() !== true) throw cause;
    write(true);
  }
}

function isFull(cause: unknown): boolean {
  return CountersignError.is(cause) ? cause.code === 'full' : codeOf(cause) === 'SQLITE_FULL';
}
