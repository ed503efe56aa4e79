import * as Y from 'yjs';
import { messageOf } from '../base/errors.ts';
import type { Crypto } from '../crypto/ports.ts';
import type { LedgerSum } from '../model/ledger.ts';
import type { KeyRing } from './keys.ts';
import { LedgerHash } from './ledger-sum.ts';
import {
  isSigned,
  openEnvelope,
  peekRecord,
  type Envelope,
  type LedgerPlace,
  type OpenedRecord,
} from './record-codec.ts';
import { ROOT } from './schema.ts';
import type { SharedDoc } from './shared-doc.ts';
import type { Readable, Unreadable } from './unreadable.ts';

export interface LedgerReaderOptions {
  readonly crypto: Pick<Crypto, 'sha256' | 'seal' | 'verify'>;
  readonly homeKey: Uint8Array;
  readonly place: LedgerPlace;
  /** Asked at every opening: a newer head may have brought more keys. `keysChanged` makes it ask again. */
  readonly keys: () => KeyRing;
}

/** Is what is here what the home published at one moment? */
export type LedgerCheck =
  | { readonly state: 'whole'; readonly sum: LedgerSum }
  /** Nothing is here yet, or a part is still on its way. One that lasts is being withheld. */
  | { readonly state: 'incomplete' }
  /** Much has come at once, and `hashSome` has to be called until all of it is in the hash. */
  | { readonly state: 'checking' }
  /** Something is here that the home did not put here, or not any more, or something is gone. It does not mend itself. */
  | { readonly state: 'damaged'; readonly why: string }
  | { readonly state: 'too-new' }
  | { readonly state: 'no-key'; readonly keyGen: number };

interface Held {
  readonly envelope: Envelope;
  opened: Readable<OpenedRecord> | undefined;
  signed: boolean | undefined;
}

const SUM = 'sum';
/** Records of one id that are looked at. A sound ledger has one; more than a few are somebody's flood. */
const REVISIONS_MAX = 16;
/** Bytes that `check` hashes itself: five milliseconds in a page. What is more waits for slices. */
const HASHED_AT_ONCE_MAX = 128 * 1024;

/**
 * A ledger as it arrives, in a document this side does not write. Nothing in it makes it throw: what is not the home's
 * is left out of what is shown and named by `check`. Feed the document through the guard for updates first, which
 * keeps what Yjs itself cannot bear away from it.
 */
export class LedgerReader {
  readonly #options: LedgerReaderOptions;
  readonly #doc: Y.Doc;
  readonly #records: Y.Array<unknown>;
  readonly #sum: LedgerHash;
  readonly #held = new Map<Uint8Array, Held>();
  /** Of each id the newest first; one only, in a sound ledger. */
  readonly #byId = new Map<string, readonly Held[]>();
  readonly #unreadable = new Map<Uint8Array, Unreadable>();
  /** What counts: SHA-256 of the bytes that are in the sum, and those that are not in it yet. */
  readonly #hashes = new Map<Uint8Array, Uint8Array>();
  readonly #unhashed = new Set<Uint8Array>();
  #unhashedBytes = 0;
  /** What stands in the document and is no record: other types, other places. */
  readonly #foreign = new Set<Y.Item>();
  readonly #listeners = new Set<(changed: ReadonlySet<string>) => void>();
  readonly #afterTransaction = (transaction: Y.Transaction): void => this.#guarded(() => this.#follow(transaction));
  #broken: string | undefined;
  #checked: LedgerCheck | undefined;

  constructor(doc: SharedDoc, options: LedgerReaderOptions) {
    this.#options = options;
    this.#doc = doc;
    this.#records = doc.getArray(ROOT.ledger);
    this.#sum = new LedgerHash(options.crypto.sha256);
    for (const structs of doc.store.clients.values()) for (const struct of structs) this.#added(struct, new Set());
    doc.on('afterTransaction', this.#afterTransaction);
  }

  /** Ids of all records, the sum left out. */
  get ids(): readonly string[] {
    return [...this.#byId.keys()].filter((id) => id !== SUM);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** The newest record of an id, opened once and kept; `undefined` for an id that is not here. Not verified yet. */
  open(id: string): Readable<OpenedRecord> | undefined {
    const held = this.#byId.get(id)?.[0];
    return held && this.#opened(held);
  }

  /** Did the home sign the newest record of an id? Slow the first time: asked for what is shown, and before deciding. */
  isSigned(id: string): boolean {
    const held = this.#byId.get(id)?.[0];
    return held !== undefined && this.#signed(held);
  }

  /** Kept until the next change. */
  check(): LedgerCheck {
    this.#checked ??= this.#check();
    return this.#checked;
  }

  /** Hashes about so many bytes of what has come. False: nothing is left, and `check` can answer. */
  hashSome(bytesMax: number): boolean {
    this.#hash(bytesMax);
    if (this.#unhashed.size > 0) return true;
    if (this.#checked?.state === 'checking') this.#checked = undefined;
    return false;
  }

  /** Runs after each transaction with the ids whose newest record is another one now, or gone. Answers how to end it. */
  onChange(listener: (changed: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What did not open for want of a key is tried again. */
  keysChanged(): void {
    this.#checked = undefined;
    for (const held of this.#held.values()) if (held.opened?.ok === false) held.opened = undefined;
  }

  destroy(): void {
    this.#doc.off('afterTransaction', this.#afterTransaction);
    this.#listeners.clear();
  }

  /** An exception in a handler of Yjs would leave the document silent for good. */
  #guarded(run: () => void): void {
    try {
      run();
    } catch (thrown) {
      // Whatever it was: what is shown can no longer be vouched for, and the document must go on.
      this.#broken ??= messageOf(thrown);
      this.#checked = undefined;
    }
  }

  #follow(transaction: Y.Transaction): void {
    const changed = new Set<string>();
    Y.iterateDeletedStructs(transaction, transaction.deleteSet, (struct) => this.#removed(struct, changed));
    for (const [client, structs] of this.#doc.store.clients) {
      const before = transaction.beforeState.get(client) ?? 0;
      if (before === Y.getState(this.#doc.store, client)) continue;
      const from = before === 0 ? 0 : Y.findIndexSS(structs, before);
      for (const struct of structs.slice(from)) if (struct.id.clock >= before) this.#added(struct, changed);
    }
    this.#checked = undefined;
    if (changed.size === 0) return;
    for (const listener of this.#listeners) this.#guarded(() => listener(changed));
  }

  #added(struct: Y.GC | Y.Item, changed: Set<string>): void {
    if (!(struct instanceof Y.Item) || struct.deleted) return;
    const { content } = struct;
    if (!(content instanceof Y.ContentBinary) || struct.parent !== this.#records || struct.parentSub !== null) {
      this.#foreign.add(struct);
      return;
    }
    const bytes = content.content;
    const envelope = peekRecord(bytes);
    if (!envelope.ok) {
      this.#unreadable.set(bytes, envelope.error);
      this.#count(bytes);
      return;
    }
    const held: Held = { envelope: envelope.value, opened: undefined, signed: undefined };
    const { id } = held.envelope;
    if ((this.#byId.get(id)?.length ?? 0) >= REVISIONS_MAX) {
      this.#unreadable.set(bytes, { reason: 'damaged', why: `It holds the record ${id} again and again.` });
      this.#count(bytes);
      return;
    }
    this.#held.set(bytes, held);
    this.#reindex(id, [...(this.#byId.get(id) ?? []), held], changed);
    if (id !== SUM) this.#count(bytes);
  }

  #removed(struct: Y.GC | Y.Item, changed: Set<string>): void {
    if (!(struct instanceof Y.Item)) return;
    this.#foreign.delete(struct);
    if (!(struct.content instanceof Y.ContentBinary)) return;
    const bytes = struct.content.content;
    this.#uncount(bytes);
    this.#unreadable.delete(bytes);
    const held = this.#held.get(bytes);
    if (held === undefined) return;
    const { id } = held.envelope;
    this.#held.delete(bytes);
    this.#reindex(
      id,
      (this.#byId.get(id) ?? []).filter((each) => each !== held),
      changed,
    );
  }

  /** These bytes belong to what the sum speaks of. Ten thousand records are hashed in slices, not as they arrive. */
  #count(bytes: Uint8Array): void {
    this.#unhashed.add(bytes);
    this.#unhashedBytes += bytes.length;
  }

  #uncount(bytes: Uint8Array): void {
    if (this.#unhashed.delete(bytes)) this.#unhashedBytes -= bytes.length;
    const hash = this.#hashes.get(bytes);
    if (hash !== undefined) this.#sum.remove(hash);
    this.#hashes.delete(bytes);
  }

  #hash(bytesMax: number): void {
    const left = this.#unhashedBytes - bytesMax;
    for (const bytes of this.#unhashed) {
      if (this.#unhashedBytes <= left) return;
      const hash = this.#options.crypto.sha256(bytes);
      this.#unhashed.delete(bytes);
      this.#unhashedBytes -= bytes.length;
      this.#hashes.set(bytes, hash);
      this.#sum.add(hash);
    }
  }

  #reindex(id: string, all: readonly Held[], changed: Set<string>): void {
    changed.add(id);
    if (all.length === 0) this.#byId.delete(id);
    else this.#byId.set(id, all.length === 1 ? all : all.toSorted((a, b) => b.envelope.rev - a.envelope.rev));
  }

  #check(): LedgerCheck {
    if (this.#broken !== undefined) return damagedBy(`It could not be followed: ${this.#broken}`);
    if (this.#foreign.size > 0) return damagedBy('It holds something that is no record.');
    for (const error of this.#unreadable.values()) if (error.reason === 'damaged') return damagedBy(error.why);
    const [sum, ...older] = this.#byId.get(SUM) ?? [];
    if (sum !== undefined) return this.#compared(sum, older.length === 0);
    if (this.#isWaiting()) return { state: 'incomplete' };
    // A room is written in one version: beside records that we can read, there is no newer one.
    if (this.#held.size > 0) return damagedBy('It has no sum.');
    return { state: this.#unreadable.size > 0 ? 'too-new' : 'incomplete' };
  }

  #compared(sum: Held, alone: boolean): LedgerCheck {
    const opened = this.#opened(sum);
    if (!opened.ok) return unreadable(opened.error);
    const { record } = opened.value;
    if (record.type !== 'sum' || !this.#signed(sum)) return damagedBy('Its sum is not signed by the home.');
    if (this.#unhashedBytes > HASHED_AT_ONCE_MAX) return { state: 'checking' };
    this.#hash(this.#unhashedBytes);
    const found = this.#sum.present();
    if (alone && record.count === found.count && record.sum === found.sum)
      return this.#unreadable.size > 0 ? { state: 'too-new' } : { state: 'whole', sum: record };
    if (this.#isWaiting()) return { state: 'incomplete' };
    return damagedBy('It does not hold what its sum says: something was left out, put in or brought back.');
  }

  /** Does Yjs hold back something whose predecessors have not come? */
  #isWaiting(): boolean {
    return this.#doc.store.pendingStructs !== null || this.#doc.store.pendingDs !== null;
  }

  #opened(held: Held): Readable<OpenedRecord> {
    const { crypto, keys, place } = this.#options;
    held.opened ??= openEnvelope(crypto.seal, place, keys(), held.envelope);
    return held.opened;
  }

  #signed(held: Held): boolean {
    const { crypto, homeKey, place } = this.#options;
    const opened = this.#opened(held);
    held.signed ??= opened.ok && isSigned(crypto.verify, homeKey, place, opened.value);
    return held.signed;
  }
}

function unreadable(error: Unreadable): LedgerCheck {
  switch (error.reason) {
    case 'no-key':
      return { state: 'no-key', keyGen: error.keyGen };
    case 'too-new':
      return { state: 'too-new' };
    case 'damaged':
      return damagedBy(error.why);
  }
}

function damagedBy(why: string): LedgerCheck {
  return { state: 'damaged', why: `The ledger is damaged. ${why}` };
}
