import * as Y from 'yjs';
import { assert } from '../base/assert.ts';
import type { Random } from '../base/random.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Crypto, Signer } from '../crypto/ports.ts';
import type { Digest } from '../model/ids.ts';
import { LEDGER_LIMITS, type LedgerRecord, type LedgerSum } from '../model/ledger.ts';
import { freshClientId } from './client-id.ts';
import type { KeyRing } from './keys.ts';
import { LedgerHash } from './ledger-sum.ts';
import { openEnvelope, peekRecord, sealRecord, type LedgerPlace } from './record-codec.ts';
import { ROOT } from './schema.ts';
import { wholeOf } from './stored.ts';

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

interface Made {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes. */
  readonly hash: Uint8Array;
}

interface Held {
  readonly item: Y.Item;
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

const SUM = 'sum';
const FOREIGN = 'The stored ledger holds what is no record.';

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
  readonly #held = new Map<string, Held>();
  /** The last of all items. New ones go behind it: Yjs itself would look for the end, and for every index, item by item. */
  #tail: Y.Item | null = null;
  #sum: LedgerHash;
  #rev = 0;
  #liveBytes = 0;

  private constructor(options: LedgerAuthorOptions, doc: Y.Doc) {
    this.#options = options;
    this.#doc = doc;
    this.#records = doc.getArray(ROOT.ledger);
    this.#sum = new LedgerHash(options.crypto.sha256);
  }

  /** An empty ledger, for a room that nobody wrote before. */
  static fresh(options: LedgerAuthorOptions): LedgerAuthor {
    const doc = new Y.Doc({ gc: true });
    doc.clientID = freshClientId(options.random, doc);
    return new LedgerAuthor(options, doc);
  }

  /** The ledger as it was stored. An error means that what was stored is not what was written: open another room. */
  static restore(options: LedgerAuthorOptions, state: Uint8Array): Result<LedgerAuthor> {
    const whole = wholeOf([state]);
    if (!whole.ok) return whole;
    const doc = new Y.Doc({ gc: true });
    Y.applyUpdate(doc, whole.value);
    doc.clientID = freshClientId(options.random, doc);
    const author = new LedgerAuthor(options, doc);
    const why = author.#take();
    return why === undefined ? ok(author) : err(why);
  }

  /** Ids of what stands in it, the sum left out. */
  get ids(): readonly string[] {
    return [...this.#held.keys()].filter((id) => id !== SUM);
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
    const made = puts.map((draft) => this.#made({ ...draft, rev }));
    const touched = new Set([...made.map(({ id }) => id), ...drops]);
    assert(touched.size === puts.length + drops.length, 'an id stands in a change once');
    assert(!touched.has(SUM), 'the sum is the author’s own');
    const sum = this.#sum.copy();
    for (const id of touched) {
      const held = this.#held.get(id);
      if (held !== undefined) sum.remove(held.hash);
    }
    for (const { hash } of made) sum.add(hash);
    made.push(this.#made({ v: 1, type: 'sum', id: SUM, rev, ...sum.present(), ...asOf }));
    const update = this.#transact([...touched, SUM], made);
    this.#sum = sum;
    this.#rev = rev;
    return update;
  }

  #transact(gone: Iterable<string>, made: readonly Made[]): Uint8Array {
    let update: Uint8Array | undefined;
    const keep = (bytes: Uint8Array): void => {
      update = bytes;
    };
    this.#doc.on('update', keep);
    this.#doc.transact((transaction) => {
      for (const id of gone) this.#delete(transaction, id);
      for (const each of made) this.#append(transaction, each);
    });
    this.#doc.off('update', keep);
    assert(update, 'a change of the sum is a change of the document');
    return update;
  }

  #delete(transaction: Y.Transaction, id: string): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    held.item.delete(transaction);
    this.#held.delete(id);
    this.#liveBytes -= held.bytes.length;
  }

  /** What `push` does once it has found the end. A test holds the two against each other, byte by byte. */
  #append(transaction: Y.Transaction, made: Made): void {
    const { clientID, store } = this.#doc;
    const at = Y.createID(clientID, Y.getState(store, clientID));
    const left = this.#tail;
    const content = new Y.ContentBinary(made.bytes);
    const item = new Y.Item(at, left, left?.lastId ?? null, null, null, this.#records, null, content);
    item.integrate(transaction, 0);
    this.#tail = item;
    this.#hold(item, made);
  }

  #hold(item: Y.Item, { bytes, hash, id }: Made): void {
    this.#held.set(id, { item, bytes, hash });
    this.#liveBytes += bytes.length;
  }

  /** Reads what the document holds; answers what is wrong with it. */
  #take(): string | undefined {
    for (const structs of this.#doc.store.clients.values()) {
      for (const struct of structs) {
        const why = struct instanceof Y.Item && struct.parent === this.#records ? this.#takeItem(struct) : FOREIGN;
        if (why !== undefined) return why;
      }
    }
    const sum = this.record(SUM);
    if (sum === undefined && this.#doc.store.clients.size === 0) return undefined;
    if (sum?.type !== 'sum') return 'The stored ledger has no sum that can be read.';
    const found = this.#sum.present();
    if (sum.count !== found.count || sum.sum !== found.sum) return 'The stored ledger does not hold what its sum says.';
    this.#rev = sum.rev;
    return undefined;
  }

  #takeItem(item: Y.Item): string | undefined {
    if (!item.deleted) {
      const bytes = item.content instanceof Y.ContentBinary ? item.content.content : undefined;
      const envelope = bytes && peekRecord(bytes);
      if (bytes === undefined || envelope?.ok !== true) return FOREIGN;
      const { id } = envelope.value;
      if (this.#held.has(id)) return `The stored ledger holds ${id} twice.`;
      const hash = this.#options.crypto.sha256(bytes);
      this.#hold(item, { id, bytes, hash });
      if (id !== SUM) this.#sum.add(hash);
    }
    if (item.right === null) this.#tail = item;
    return undefined;
  }

  #made(record: LedgerRecord): Made {
    const { crypto, keys, place, random, signer } = this.#options;
    const bytes = sealRecord({ seal: crypto.seal, signer, random }, place, keys.newest, record);
    return { id: record.id, bytes, hash: crypto.sha256(bytes) };
  }

  #opened(bytes: Uint8Array): LedgerRecord | undefined {
    const { crypto, keys, place } = this.#options;
    const envelope = peekRecord(bytes);
    const opened = envelope.ok ? openEnvelope(crypto.seal, place, keys, envelope.value) : undefined;
    return opened?.ok === true ? opened.value.record : undefined;
  }
}
