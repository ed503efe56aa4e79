import { toHex } from '../base/bytes.ts';
import { canonicalBytes, parseCanonical, type Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { EventBody, JournalRow } from '../model/event.ts';
import { digestFrom } from '../model/digest.ts';
import type { Digest } from '../model/ids.ts';
import { makeRow } from '../trust/journal-row.ts';
import type { Journal, JournalBatch, JournalRecord, RecordTable } from './ports.ts';

const NOTHING_IN_FLIGHT = Promise.resolve();

/** Bytes of blobs kept in memory beside the journal. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The journal as the authority writes it. Between two awaits the authority stages events, records and blobs and
 * then calls `commit` once: all of that becomes durable together or not at all, in the order of the calls.
 */
export class Store {
  readonly #journal: Journal;
  readonly #sha256: Sha256;
  readonly #random: Random;
  readonly #nowMs: () => EpochMs;
  #head: { readonly seq: number; readonly root: Uint8Array };
  #rows: JournalRow[] = [];
  /** Staged or in flight: newer than what the journal answers. `null` stands for a dropped record. */
  readonly #recent = new Map<string, { readonly value: Json | null; readonly turn: number }>();
  #puts = new Map<string, JournalRecord>();
  #drops = new Map<string, { readonly table: RecordTable; readonly key: string }>();
  #blobs = new Map<Digest, Uint8Array>();
  readonly #blobsInFlight = new Map<Digest, Uint8Array>();
  /** What was written or read last, oldest first: the next edit of a file begins with it. */
  readonly #blobsKept = new Map<Digest, Uint8Array>();
  #keptBytes = 0;
  #turn = 0;
  /** Grows when staged work was lost, so that one full disk is met once however many commits it failed. */
  #generation = 0;
  #tail: Promise<void> = NOTHING_IN_FLIGHT;
  #newest: Promise<void> = NOTHING_IN_FLIGHT;
  readonly #onLost: () => void;
  readonly #onStored: (rows: readonly JournalRow[]) => void;

  constructor(options: {
    readonly journal: Journal;
    readonly sha256: Sha256;
    readonly random: Random;
    readonly nowMs: () => EpochMs;
    /** The disk was full: everything not durable is gone, and what is in memory must be read again. */
    readonly onLost: () => void;
    /** These rows are durable now; called in their order. */
    readonly onStored?: (rows: readonly JournalRow[]) => void;
  }) {
    this.#journal = options.journal;
    this.#sha256 = options.sha256;
    this.#random = options.random;
    this.#nowMs = options.nowMs;
    this.#onLost = options.onLost;
    this.#onStored = options.onStored ?? (() => undefined);
    this.#head = options.journal.head();
  }

  /** Where the log will end when everything staged so far is durable. */
  get head(): { readonly seq: number; readonly root: Uint8Array } {
    return this.#head;
  }

  /** Another number once something staged was lost: what was read of memory before may never have happened. */
  get generation(): number {
    return this.#generation;
  }

  /** The number the next staged event will have. */
  get nextSeq(): number {
    return this.#head.seq + 1;
  }

  hash(bytes: Uint8Array): Digest {
    return digestFrom(this.#sha256(bytes));
  }

  stage(body: EventBody, atMs = this.#nowMs()): number {
    const row = makeRow(this.#sha256, this.#head, { body, atMs, salt: toHex(this.#random.bytes(16)) });
    this.#rows.push(row);
    this.#head = { seq: row.seq, root: row.root };
    return row.seq;
  }

  /** `bytes`: the canonical bytes of the value, where they are known already. */
  put(
    table: RecordTable,
    key: string,
    order: number,
    live: boolean,
    value: unknown,
    bytes = canonicalBytes(value),
  ): void {
    const id = `${table} ${key}`;
    this.#drops.delete(id);
    this.#puts.set(id, { table, key, order, live, value: bytes });
    // reason: canonicalBytes has just accepted it as JSON
    this.#recent.set(id, { value: value as Json, turn: this.#turn });
  }

  /** An update of a published document. It is no JSON: whoever wants it asks the journal. */
  putUpdate(key: string, order: number, value: Uint8Array): void {
    const id = `doc ${key}`;
    this.#drops.delete(id);
    this.#puts.set(id, { table: 'doc', key, order, live: false, value });
  }

  drop(table: RecordTable, key: string): void {
    const id = `${table} ${key}`;
    this.#puts.delete(id);
    this.#drops.set(id, { table, key });
    this.#recent.set(id, { value: null, turn: this.#turn });
  }

  putBlob(hash: Digest, bytes: Uint8Array): void {
    this.#blobs.set(hash, bytes);
    this.#blobsInFlight.set(hash, bytes);
  }

  /** Stages bytes under their own hash. */
  keepBlob(bytes: Uint8Array): Digest {
    const hash = this.hash(bytes);
    this.putBlob(hash, bytes);
    return hash;
  }

  /** The newest value of a record, whether durable yet or not. */
  record(table: RecordTable, key: string): Json | undefined {
    const recent = this.#recent.get(`${table} ${key}`);
    if (recent !== undefined) return recent.value ?? undefined;
    const stored = this.#journal.record(table, key);
    return stored === undefined ? undefined : parseCanonical(stored.value);
  }

  /** Throws: `not-found`. */
  blob(hash: Digest): Uint8Array {
    const bytes = this.#blobsInFlight.get(hash) ?? this.#blobsKept.get(hash) ?? this.#journal.blob(hash);
    if (bytes === undefined)
      throw new CountersignError('not-found', `The stored bytes ${hash.slice(0, 12)}… are missing.`);
    this.#keepNear(hash, bytes);
    return bytes;
  }

  #keepNear(hash: Digest, bytes: Uint8Array): void {
    if (this.#blobsKept.delete(hash)) this.#keptBytes -= bytes.length;
    this.#blobsKept.set(hash, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#blobsKept) {
      if (this.#keptBytes <= KEPT_BYTES_MAX) return;
      this.#blobsKept.delete(oldest);
      this.#keptBytes -= length;
    }
  }

  /**
   * Resolves when everything staged so far is durable. `urgent`: the outcome of an effect that has happened, which
   * may use the reserve of a full disk.
   *
   * Throws: `full`, nothing of it was stored; `storage`, the process must stop.
   */
  commit(options: { readonly urgent?: boolean } = {}): Promise<void> {
    const batch: JournalBatch = {
      rows: this.#rows,
      puts: [...this.#puts.values()],
      drops: [...this.#drops.values()],
      blobs: [...this.#blobs].map(([hash, bytes]) => ({ hash, bytes })),
      urgent: options.urgent === true,
    };
    this.#rows = [];
    this.#puts = new Map();
    this.#drops = new Map();
    this.#blobs = new Map();
    const turn = this.#turn++;
    const generation = this.#generation;
    const done = this.#journal.commit(batch).then(
      () => this.#forget(turn, batch),
      (error: unknown) => this.#lost(error, generation),
    );
    this.#newest = done;
    this.#tail = done.catch(() => undefined); // The caller of this commit has the failure.
    return done;
  }

  /** Resolves when everything committed so far is durable; rejects when the newest of it was not stored. */
  stored(): Promise<void> {
    return this.#newest;
  }

  /** Resolves when nothing is in flight any more. */
  idle(): Promise<void> {
    return this.#tail;
  }

  #forget(turn: number, batch: JournalBatch): void {
    for (const { table, key } of [...batch.puts, ...batch.drops]) {
      const id = `${table} ${key}`;
      if (this.#recent.get(id)?.turn === turn) this.#recent.delete(id);
    }
    for (const { hash, bytes } of batch.blobs) {
      if (this.#blobs.has(hash)) continue;
      this.#blobsInFlight.delete(hash);
      this.#keepNear(hash, bytes);
    }
    this.#onStored(batch.rows);
  }

  #lost(error: unknown, generation: number): never {
    if (CountersignError.is(error) && error.code === 'full' && generation === this.#generation) {
      this.#generation += 1;
      this.#newest = NOTHING_IN_FLIGHT;
      this.#head = this.#journal.head();
      this.#rows = [];
      this.#puts.clear();
      this.#drops.clear();
      this.#blobs.clear();
      this.#recent.clear();
      this.#blobsInFlight.clear();
      this.#onLost();
    }
    throw error;
  }
}
