import * as Y from 'yjs';
import { assert } from '../base/assert.ts';
import type { Random } from '../base/random.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Crypto, Signer } from '../crypto/ports.ts';
import type { Digest } from '../model/ids.ts';
import { LEDGER_LIMITS, type LedgerRecord, type LedgerSum } from '../model/ledger.ts';
import { freshClientId } from './client-id.ts';
import type { KeyRing } from './keys.ts';
import { HashSum } from './ledger-sum.ts';
import { LiveOrder } from './live-order.ts';
import { openEnvelope, peekRecord, sealRecord, type LedgerPlace } from './record-codec.ts';
import { ROOT } from './schema.ts';

export interface LedgerAuthorOptions {
  readonly crypto: Pick<Crypto, 'sha256' | 'seal'>;
  readonly signer: Signer;
  readonly random: Random;
  readonly place: LedgerPlace;
  /** Records are sealed with the newest; a room never changes its key. */
  readonly keys: KeyRing;
}

/** A record as it is handed in: its revision is the author's to give. */
export type LedgerDraft = Draft<Exclude<LedgerRecord, LedgerSum>>;
type Draft<R> = R extends LedgerRecord ? Omit<R, 'rev'> : never;

/** What becomes of the ledger in one transaction. An id stands in it once. */
export interface LedgerChange {
  readonly puts: readonly LedgerDraft[];
  readonly drops: readonly string[];
  /** The audit log that this speaks of: entries, and the chain root after them. */
  readonly asOf: { readonly size: number; readonly root: Digest };
}

export const LEDGER_AUTHOR_LIMITS = {
  /** Client ids in a document, one a start of the runtime: each costs every reader a line of its state vector. */
  writersMax: 256,
} as const;

interface Held {
  readonly bytes: Uint8Array;
  ticket: number;
}

/** Bytes a live record costs beside its own: its item, and the run of deleted ones after it, in structs and deletes. */
const OVERHEAD_BYTES = 56;
/** The same for one client id. */
const WRITER_BYTES = 64;

/**
 * The only writer of a ledger, over a document that is connected to nothing. A restored one goes on under a new client
 * id: one that was used twice would make two documents that never meet again.
 */
export class LedgerAuthor {
  readonly #options: LedgerAuthorOptions;
  readonly #doc: Y.Doc;
  readonly #records: Y.Array<Uint8Array>;
  /** By id, in the order in which they stand in the document. */
  readonly #held = new Map<string, Held>();
  #order = new LiveOrder();
  #sum: HashSum;
  #rev = 0;
  #liveBytes = 0;

  private constructor(options: LedgerAuthorOptions, doc: Y.Doc) {
    this.#options = options;
    this.#doc = doc;
    this.#records = doc.getArray(ROOT.ledger);
    this.#sum = new HashSum(options.crypto.sha256);
  }

  /** An empty ledger, for a room that nobody wrote before. */
  static fresh(options: LedgerAuthorOptions): LedgerAuthor {
    const doc = new Y.Doc({ gc: true });
    doc.clientID = freshClientId(options.random, doc);
    return new LedgerAuthor(options, doc);
  }

  /** The ledger as it was stored. An error means that what was stored is not what was written: open another room. */
  static restore(options: LedgerAuthorOptions, state: Uint8Array): Result<LedgerAuthor> {
    const doc = new Y.Doc({ gc: true });
    Y.applyUpdate(doc, state);
    doc.clientID = freshClientId(options.random, doc);
    const author = new LedgerAuthor(options, doc);
    const why = author.#take();
    return why === undefined ? ok(author) : err(why);
  }

  /** Ids of what stands in it, oldest change first. */
  get ids(): readonly string[] {
    return [...this.#held.keys()].filter((id) => id !== 'sum');
  }

  /** The number of the last change. */
  get rev(): number {
    return this.#rev;
  }

  /** At most so many bytes does `state()` have. Kept while changing: asking costs nothing. */
  get bytes(): number {
    return this.#liveBytes + this.#held.size * OVERHEAD_BYTES + (this.#doc.store.clients.size + 1) * WRITER_BYTES;
  }

  /** Why this ledger should go on in a new room; `null` while it need not. */
  get outgrown(): 'size' | 'writers' | null {
    if (this.bytes >= LEDGER_LIMITS.documentBytesMax) return 'size';
    return this.#doc.store.clients.size >= LEDGER_AUTHOR_LIMITS.writersMax ? 'writers' : null;
  }

  /** A record as it was published; opened at every call. */
  record(id: string): LedgerRecord | undefined {
    const held = this.#held.get(id);
    return held && this.#opened(held.bytes);
  }

  /** All of it, as a V1 update. */
  state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.#doc);
  }

  stateVector(): Uint8Array {
    return Y.encodeStateVector(this.#doc);
  }

  /**
   * One change as one transaction: what is replaced or dropped is deleted, what is new stands at the end, the sum last.
   * All its records have the number of the change as their revision: higher than any an id had before, also when
   * the id was dropped in between and nobody remembers it.
   *
   * Throws: `bad-input` for a record that no reader accepts; the ledger is as it was.
   */
  change({ asOf, drops, puts }: LedgerChange): Uint8Array {
    const rev = this.#rev + 1;
    const sum = this.#sum.copy();
    // reason: a draft and a revision are the record it was drafted from
    const sealed = puts.map((draft) => [draft.id, this.#seal({ ...draft, rev } as LedgerRecord)] as const);
    const made = new Map<string, Uint8Array>(sealed);
    const touched = [...made.keys(), ...drops];
    assert(new Set(touched).size === puts.length + drops.length, 'an id stands in a change once');
    assert(!touched.includes('sum'), 'the sum is the author’s own');
    for (const id of touched) {
      const old = this.#held.get(id);
      if (old !== undefined) sum.remove(old.bytes);
    }
    for (const bytes of made.values()) sum.add(bytes);
    const { root, size } = asOf;
    made.set('sum', this.#seal({ v: 1, type: 'sum', id: 'sum', rev, count: sum.count, sum: sum.toHex(), size, root }));
    const update = this.#transact([...touched, 'sum'], made);
    this.#sum = sum;
    this.#rev = rev;
    return update;
  }

  #transact(gone: readonly string[], made: ReadonlyMap<string, Uint8Array>): Uint8Array {
    let update: Uint8Array | undefined;
    const keep = (bytes: Uint8Array): void => {
      update = bytes;
    };
    this.#doc.on('update', keep);
    this.#doc.transact(() => {
      for (const id of gone) this.#delete(id);
      this.#records.insert(this.#records.length, [...made.values()]);
    });
    this.#doc.off('update', keep);
    for (const [id, bytes] of made) this.#hold(id, bytes);
    if (this.#order.appended > 2 * this.#held.size + 1024) this.#renumber();
    assert(update, 'a change of the sum is a change of the document');
    return update;
  }

  #delete(id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    const index = this.#order.indexOf(held.ticket);
    assert(this.#records.get(index) === held.bytes, `the record ${id} stands where it was put`);
    this.#records.delete(index, 1);
    this.#order.remove(held.ticket);
    this.#held.delete(id);
    this.#liveBytes -= held.bytes.length;
  }

  #hold(id: string, bytes: Uint8Array): void {
    this.#held.set(id, { bytes, ticket: this.#order.append() });
    this.#liveBytes += bytes.length;
  }

  /** The order counts all that was ever appended; now and then only what lives. */
  #renumber(): void {
    this.#order = new LiveOrder();
    for (const held of this.#held.values()) held.ticket = this.#order.append();
  }

  /** Reads what the document holds; answers what is wrong with it. */
  #take(): string | undefined {
    for (const bytes of this.#records.toArray() as readonly unknown[]) {
      const envelope = bytes instanceof Uint8Array ? peekRecord(bytes) : undefined;
      if (!(bytes instanceof Uint8Array) || envelope?.ok !== true) return 'The stored ledger holds what is no record.';
      if (this.#held.has(envelope.value.id)) return `The stored ledger holds ${envelope.value.id} twice.`;
      this.#hold(envelope.value.id, bytes);
      if (envelope.value.id !== 'sum') this.#sum.add(bytes);
    }
    const sum = this.record('sum');
    if (sum === undefined && this.#held.size === 0 && this.#doc.store.clients.size === 0) return undefined;
    if (sum?.type !== 'sum') return 'The stored ledger has no sum that can be read.';
    if (sum.count !== this.#sum.count || sum.sum !== this.#sum.toHex())
      return 'The stored ledger does not hold what its sum says.';
    this.#rev = sum.rev;
    return undefined;
  }

  #seal(record: LedgerRecord): Uint8Array {
    const { crypto, keys, place, random, signer } = this.#options;
    return sealRecord({ seal: crypto.seal, signer, random }, place, keys.newest, record);
  }

  #opened(bytes: Uint8Array): LedgerRecord | undefined {
    const { crypto, keys, place } = this.#options;
    const envelope = peekRecord(bytes);
    const opened = envelope.ok ? openEnvelope(crypto.seal, place, keys, envelope.value) : undefined;
    return opened?.ok === true ? opened.value.record : undefined;
  }
}
