import { EMPTY_HEAD, type ChainHead } from '../../src/journal/chain.ts';
import type { Journal, JournalBatch, JournalRecord, RecordTable } from '../../src/authority/ports.ts';
import type { EventKind, JournalRow } from '../../src/model/event.ts';
import type { Digest } from '../../src/model/ids.ts';

/** The head log's witness of one row. `torn`: a crash left part of it; `flipped`: it changed at rest. */
export interface HeadMark {
  readonly seq: number;
  readonly kind: EventKind;
  readonly actionSeq: number;
  readonly attempt: number;
  readonly root: Uint8Array;
  readonly state: 'whole' | 'torn' | 'flipped';
}

type Records = Map<string, JournalRecord>;

/**
 * What outlives every crash: a database whose transactions are whole or absent, and a head log beside it whose last
 * record can be torn. Who writes is `SimJournal`; what is here has been synced.
 */
export class SimDisk {
  readonly rows: JournalRow[] = [];
  readonly heads: HeadMark[] = [];
  readonly tables = new Map<RecordTable, Records>();
  readonly blobs = new Map<Digest, Uint8Array>();
  /** The newest row the head log had when the database was written last: the database's own word on it. */
  tally = 0;
  /** `full`: nothing new is taken, and `reserve` groups of outcomes still are. */
  space: 'free' | 'full' = 'free';
  reserve = 3;
  /** What the next write of each kind meets; back to `none` once it was met. */
  nextError: 'none' | 'database' | 'head log' = 'none';
  /** Everything a group changed before it: for a database that is put back to an earlier one. */
  readonly #undo: (() => void)[] = [];
  /** It was damaged and not repaired yet. */
  damaged = false;
  /** Called for rows that are in the database from now on, whatever crashes. */
  onRows: (rows: readonly JournalRow[]) => void = () => undefined;

  get end(): ChainHead {
    const last = this.rows.at(-1);
    return last === undefined ? EMPTY_HEAD : { seq: last.seq, root: last.root };
  }

  /** The newest row the head log has any trace of, among those the database has. */
  get witnessed(): number {
    return this.heads.at(-1)?.seq ?? 0;
  }

  isWitnessed(seq: number): boolean {
    return this.heads[seq - 1]?.seq === seq;
  }

  /** What is durable, for whoever holds others against it. */
  durable(): Pick<Journal, 'head' | 'rows' | 'recordsBefore'> {
    return {
      head: () => this.rows[this.wholeUntil - 1] ?? EMPTY_HEAD,
      rows: (from, limit) => this.rows.slice(Math.max(from - 1, 0), Math.min(from - 1 + limit, this.wholeUntil)),
      recordsBefore: (table, order, limit) =>
        [...this.table(table).values()]
          .filter((record) => record.order < order)
          .toSorted((a, b) => b.order - a.order || (a.key < b.key ? 1 : -1))
          .slice(0, limit),
    };
  }

  table(table: RecordTable): Records {
    const known = this.tables.get(table);
    if (known !== undefined) return known;
    const made: Records = new Map();
    this.tables.set(table, made);
    return made;
  }

  /** One synced transaction of the database. */
  store(batches: readonly JournalBatch[], witnessed: number): void {
    const [length, before] = [this.rows.length, new Map<string, () => void>()];
    const remember = (table: RecordTable, key: string): void => {
      const records = this.table(table);
      const was = records.get(key);
      const id = `${table} ${key}`;
      if (!before.has(id)) before.set(id, () => void (was === undefined ? records.delete(key) : records.set(key, was)));
    };
    for (const { rows, drops, puts, blobs } of batches) {
      this.rows.push(...rows);
      for (const { table, key } of drops) {
        remember(table, key);
        this.table(table).delete(key);
      }
      for (const record of puts) {
        remember(record.table, record.key);
        this.table(record.table).set(record.key, record);
      }
      for (const { hash, bytes } of blobs) this.blobs.set(hash, bytes);
    }
    this.tally = witnessed;
    this.#undo.push(() => {
      this.rows.length = length;
      for (const undo of before.values()) undo();
    });
    if (this.#undo.length > UNDO_KEPT) this.#undo.shift();
    this.onRows(this.rows.slice(length));
  }

  /** A migration has made the records of the whole database: nothing goes back behind it. */
  renewed(records: readonly JournalRecord[]): void {
    this.tables.clear();
    for (const record of records) this.table(record.table).set(record.key, record);
    this.#undo.length = 0;
  }

  /** Witnesses these rows; the last of them may be torn. */
  witness(rows: readonly JournalRow[], last: 'whole' | 'torn' = 'whole'): void {
    for (const [at, { seq, kind, actionSeq, attempt, root }] of rows.entries()) {
      const state = at === rows.length - 1 ? last : 'whole';
      this.heads[seq - 1] = { seq, kind, actionSeq, attempt, root, state };
    }
  }

  /** The newest row whose head record is whole, and every record before it. */
  get wholeUntil(): number {
    const torn = this.heads.findIndex((mark) => mark.state !== 'whole');
    return torn === -1 ? this.heads.length : torn;
  }

  /**
   * Damages what lies there; answers how to repair it, as who puts a good copy back does. `undefined` where there is
   * nothing to damage. Whole groups vanish from the database, as with a backup; bits flip in rows or in the head log.
   */
  damage(how: 'rolled back' | 'row flipped' | 'head flipped' | 'head lost', at: number): (() => void) | undefined {
    const [rows, heads, tally] = [[...this.rows], [...this.heads], this.tally];
    const repair = (): void => {
      this.damaged = false;
      this.rows.splice(0, Infinity, ...rows);
      this.heads.splice(0, Infinity, ...heads);
      this.tally = tally;
    };
    this.damaged = true;
    switch (how) {
      case 'rolled back': {
        const records = new Map([...this.tables].map(([name, table]) => [name, new Map(table)]));
        const undo = this.#undo.at(-1);
        if (undo === undefined || this.witnessed < this.rows.length) return this.#unharmed();
        undo();
        if (this.rows.length === rows.length) return this.#unharmed();
        return () => {
          repair();
          for (const [name, table] of records) this.tables.set(name, table);
        };
      }
      case 'row flipped': {
        const row = this.rows.at(-1 - (at % 8));
        if (row === undefined) return this.#unharmed();
        const event = row.event.slice();
        event[at % event.length] = (event[at % event.length] ?? 0) ^ 1;
        this.rows[row.seq - 1] = { ...row, event };
        return repair;
      }
      case 'head flipped': {
        // Records that were torn or are the last may be a crash's; damage is one before them.
        const index = this.wholeUntil - 2 - (at % 8);
        const mark = this.heads[index];
        if (mark === undefined) return this.#unharmed();
        this.heads[index] = { ...mark, state: 'flipped' };
        return repair;
      }
      case 'head lost':
        if (this.tally < 2) return this.#unharmed();
        this.heads.length = Math.max(this.tally - 1 - (at % 4), 0);
        return repair;
    }
  }

  #unharmed(): undefined {
    this.damaged = false;
    return undefined;
  }
}

const UNDO_KEPT = 3;
