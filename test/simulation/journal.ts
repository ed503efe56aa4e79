import { CountersignError } from '../../src/base/errors.ts';
import type { Sha256 } from '../../src/crypto/ports.ts';
import type { Journal, JournalBatch, JournalHealth, JournalRecord, RecordTable } from '../../src/authority/ports.ts';
import { assertLimit, breakAt, EMPTY_HEAD, type ChainHead } from '../../src/journal/chain.ts';
import { intentsAfter, openIntents } from '../../src/journal/sqlite/doubtful.ts';
import { Gathering } from '../../src/journal/sqlite/gathering.ts';
import type { JournalRow } from '../../src/model/event.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { Dice } from './contract.ts';
import type { SimDisk } from './disk.ts';

/** Rows before the end whose chain is checked at boot. */
const TAIL_ROWS = 64;

interface Flight {
  readonly batches: readonly JournalBatch[];
  readonly rows: readonly JournalRow[];
  readonly end: ChainHead;
  readonly resolve: () => void;
  readonly reject: (error: CountersignError) => void;
  /** The transaction is in the database, its head records are not. */
  stored: boolean;
}

/**
 * The journal of a simulation: the production contract over a `SimDisk`, a group a time, in two steps that the
 * scheduler takes: the database's transaction, then the head log's records. Between and after them it can crash.
 */
export class SimJournal implements Journal {
  readonly health: JournalHealth;
  readonly durable = true;
  readonly #disk: SimDisk;
  readonly #gathering: Gathering;
  #head: ChainHead;
  #flight: Flight | undefined;
  #poison: CountersignError | undefined;
  #closed = false;

  constructor(disk: SimDisk, sha256: Sha256) {
    this.#disk = disk;
    this.health = inspect(disk, sha256);
    this.#head = disk.end;
    this.#gathering = new Gathering(sha256, this.#head);
  }

  /** Something waits for the disk. */
  get busy(): boolean {
    return this.#poison === undefined && (this.#flight !== undefined || !this.#gathering.isEmpty());
  }

  /** An intent is in the database, and its head record is not there yet. */
  get intends(): boolean {
    return this.#flight?.stored === true && this.#flight.rows.some(({ kind }) => kind === 'intent-recorded');
  }

  head(): ChainHead {
    this.#assertUsable();
    return this.#head;
  }

  async commit(batch: JournalBatch): Promise<void> {
    this.#assertUsable();
    if (this.health.state === 'quarantined')
      throw new CountersignError('quarantined', `The journal is in quarantine: ${this.health.why}`);
    await this.#gathering.join(batch);
  }

  /** The disk does the next thing it was asked for. Answers a line for the trace. */
  advance(): string {
    this.#flight ??= this.#begin();
    if (this.#flight === undefined) return 'full';
    return this.#flight.stored ? this.#witness(this.#flight) : this.#store(this.#flight);
  }

  /** The process dies now: what was under way is there or not, as the dice fall. */
  crash(dice: Dice): string {
    const flight = this.#flight;
    this.#flight = undefined;
    this.#closed = true;
    if (flight === undefined) return 'nothing under way';
    if (!flight.stored) {
      if (dice.chance(50)) return 'transaction lost';
      this.#disk.store(flight.batches, this.#disk.wholeUntil);
    }
    const missing = this.#missing();
    const kept = dice.pick(missing.length + 1);
    const torn = kept > 0 && dice.chance(50);
    this.#disk.witness(missing.slice(0, kept), torn ? 'torn' : 'whole');
    return `transaction kept, ${kept} of ${missing.length} witnessed${torn ? ', the last torn' : ''}`;
  }

  rows(fromSeq: number, limit: number): readonly JournalRow[] {
    this.#assertUsable();
    assertLimit(limit);
    const from = Math.max(fromSeq - 1, 0);
    return this.#disk.rows.slice(from, Math.min(from + limit, this.#head.seq));
  }

  rowsOf(actionSeq: number, limit: number): readonly JournalRow[] {
    this.#assertUsable();
    assertLimit(limit);
    const rows = this.#disk.rows.filter(
      (row) => row.actionSeq === actionSeq && actionSeq > 0 && row.seq <= this.#head.seq,
    );
    return rows.slice(Math.max(rows.length - limit, 0));
  }

  record(table: RecordTable, key: string): JournalRecord | undefined {
    this.#assertUsable();
    return this.#disk.table(table).get(key);
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
    this.#assertUsable();
    return this.#disk.blobs.get(hash);
  }

  // oxlint-disable-next-line require-await -- reason: what fails here is a rejection, as the port says
  async close(): Promise<void> {
    while (!this.#closed && this.busy) this.advance();
    this.#closed = true;
  }

  #begin(): Flight | undefined {
    const { waiting, end } = this.#gathering.take();
    const batches = waiting.map(({ batch }) => batch);
    const flight: Flight = {
      batches,
      rows: batches.flatMap((batch) => batch.rows),
      end,
      resolve: () => {
        for (const { resolve } of waiting) resolve();
      },
      reject: (error) => {
        for (const { reject } of waiting) reject(error);
      },
      stored: false,
    };
    if (this.#disk.space === 'free') return flight;
    if (batches.some((batch) => batch.urgent === true) && this.#disk.reserve > 0) {
      this.#disk.reserve -= 1;
      return flight;
    }
    const full = new CountersignError('full', 'The disk is full: nothing was stored.');
    this.#gathering.giveUp(this.#head, full);
    flight.reject(full);
    return undefined;
  }

  #store(flight: Flight): string {
    if (this.#disk.nextError === 'database') return this.#fail(flight);
    this.#disk.store(flight.batches, this.#disk.wholeUntil);
    flight.stored = true;
    return `database ${flight.end.seq}`;
  }

  #witness(flight: Flight): string {
    if (this.#disk.nextError === 'head log') return this.#fail(flight);
    this.#disk.witness(this.#missing());
    this.#head = flight.end;
    this.#flight = undefined;
    flight.resolve();
    return `head log ${flight.end.seq}`;
  }

  /** EIO: nobody knows what was stored, and nothing is tried again. The crash that follows throws the dice. */
  #fail(flight: Flight): string {
    this.#poison = new CountersignError(
      'storage',
      `The journal cannot be written any more: EIO, ${this.#disk.nextError}.`,
    );
    this.#disk.nextError = 'none';
    flight.reject(this.#poison);
    return 'EIO';
  }

  /** Rows of the database without a whole head record. */
  #missing(): readonly JournalRow[] {
    return this.#disk.rows.slice(this.#disk.wholeUntil);
  }

  #sorted(table: RecordTable): readonly JournalRecord[] {
    this.#assertUsable();
    return [...this.#disk.table(table).values()].toSorted((a, b) => b.order - a.order || (a.key < b.key ? 1 : -1));
  }

  #assertUsable(): void {
    if (this.#poison !== undefined) throw this.#poison;
    if (this.#closed) throw new CountersignError('closed', 'The journal is closed.');
  }
}

/** What boot finds (EF-7): the same questions as the real one asks, of the same two witnesses. */
function inspect(disk: SimDisk, sha256: Sha256): JournalHealth {
  const { rows, heads, end } = disk;
  const quarantined = (why: string, trusted?: number): JournalHealth => ({
    state: 'quarantined',
    why,
    doubtful: trusted === undefined ? openIntents(records(disk)) : intentsAfter(records(disk), trusted),
  });
  const from = Math.max(rows.length - TAIL_ROWS, 0);
  let before: ChainHead = rows[from - 1] ?? EMPTY_HEAD;
  for (const row of rows.slice(from)) {
    const broken = breakAt(sha256, before, row);
    if (broken !== undefined) return quarantined(`The database is damaged: ${broken}.`, row.seq - 1);
    before = row;
  }
  if (heads.length > end.seq)
    return quarantined(`The head log knows row ${heads.length}, but the database ends at row ${end.seq}.`, end.seq);
  const broken = heads.findIndex((mark, at) => mark.state === 'flipped' || (mark.state === 'torn' && at < disk.tally));
  if (broken !== -1) return quarantined(`The head log is damaged at row ${broken + 1}.`, broken);
  if (disk.witnessed < disk.tally)
    return quarantined(`The head log ends at row ${disk.witnessed}, but once knew row ${disk.tally}.`, disk.witnessed);
  return disk.witnessed < end.seq ? { state: 'ahead', witnessed: disk.witnessed } : { state: 'sound' };
}

function records(disk: SimDisk): Parameters<typeof openIntents>[0] {
  const whole = disk.heads.filter((mark) => mark.state === 'whole');
  return whole.map((mark) => ({ ...mark, eventHash: mark.root, previousRoot: mark.root }));
}
