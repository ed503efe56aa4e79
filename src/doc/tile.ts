import * as Y from 'yjs';
import { assert } from '../base/assert.ts';
import { concat, equalBytes, fromHex, utf8 } from '../base/bytes.ts';
import { messageOf } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Crypto, Lock } from '../crypto/ports.ts';
import { fixedClientId } from './client-id.ts';
import { Cursor, varUint } from './cursor.ts';
import type { ContentKey, KeyRing } from './keys.ts';
import type { ManifestTile } from './manifest.ts';
import { DOC_LIMITS, ROOT } from './schema.ts';
import type { SharedDoc } from './shared-doc.ts';
import { damaged, noKey, TOO_NEW, type Readable } from './unreadable.ts';

type TileCrypto = Pick<Crypto, 'sha256' | 'hmac' | 'seal'>;

const VERSION = 1;
const NONCE_BYTES = 24;

/** An audit entry as it stands in a tile. The same entry, name and key are the same bytes, so nothing has to be kept. */
export function sealTileEntry(
  crypto: Pick<Crypto, 'hmac' | 'seal'>,
  name: string,
  key: ContentKey,
  seq: number,
  entry: Uint8Array,
): Uint8Array {
  const sealed = crypto.seal.seal(lockOf(crypto.hmac, name, key, seq), entry);
  return concat(Uint8Array.of(VERSION), varUint(key.gen), sealed);
}

/** The canonical bytes of one audit entry. That it is the log's own, the chain says. */
export function openTileEntry(
  crypto: Pick<Crypto, 'hmac' | 'seal'>,
  name: string,
  keys: KeyRing,
  seq: number,
  bytes: Uint8Array,
): Readable<Uint8Array> {
  const cursor = new Cursor(bytes);
  const version = cursor.byte();
  if (version !== VERSION) return version === undefined ? damaged('An audit entry is empty.') : TOO_NEW;
  const gen = cursor.varUint();
  if (gen === undefined) return damaged('An audit entry has no whole envelope.');
  const key = keys.of(gen);
  if (key === undefined) return noKey(gen);
  const entry = crypto.seal.open(lockOf(crypto.hmac, name, key, seq), cursor.rest());
  return entry === undefined ? damaged(`The audit entry ${seq} does not open with its key.`) : ok(entry);
}

/**
 * The only writer of an audit tile. Its document is a function of name, key and rows: after a restart the same rows
 * make the same structs again, so that nothing of it is stored.
 */
export class TileAuthor {
  readonly #crypto: TileCrypto;
  readonly #name: string;
  readonly #key: ContentKey;
  readonly #doc = new Y.Doc({ gc: true });
  readonly #entries = this.#doc.getMap<Uint8Array>(ROOT.tile);
  #first: number | null = null;
  #last: number | null = null;
  #bytes = 0;

  /** `name`: the room's whole name, `a/<home>/<workspace>/<tile>`. */
  constructor(options: { readonly crypto: TileCrypto; readonly name: string; readonly key: ContentKey }) {
    this.#crypto = options.crypto;
    this.#name = options.name;
    this.#key = options.key;
    this.#doc.clientID = fixedClientId(options.crypto.sha256, options.name);
  }

  /** First and last entry; `null` while there is none. */
  get range(): { readonly from: number; readonly to: number } | null {
    return this.#first === null || this.#last === null ? null : { from: this.#first, to: this.#last };
  }

  /** The next entry belongs in the next tile. */
  get full(): boolean {
    const count = this.#first === null || this.#last === null ? 0 : this.#last - this.#first + 1;
    return count >= DOC_LIMITS.tileEntriesMax || this.#bytes >= DOC_LIMITS.tileBytesMax;
  }

  /** Adds one entry, in the order of the log, as one transaction. */
  append(seq: number, entry: Uint8Array): Uint8Array {
    assert(this.#last === null || seq === this.#last + 1, 'audit entries come in order');
    assert(!this.full, 'a full tile takes no entry');
    let update: Uint8Array | undefined;
    this.#doc.once('update', (bytes: Uint8Array) => {
      update = bytes;
    });
    this.#entries.set(String(seq), sealTileEntry(this.#crypto, this.#name, this.#key, seq, entry));
    assert(update, 'an entry is a change of the document');
    this.#first ??= seq;
    this.#last = seq;
    this.#bytes += update.length;
    return update;
  }

  /** All of it, as a V1 update: what is put as an object when it is full. */
  state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.#doc);
  }

  stateVector(): Uint8Array {
    return Y.encodeStateVector(this.#doc);
  }
}

interface TileReaderOptions {
  readonly crypto: TileCrypto;
  readonly name: string;
  readonly keys: () => KeyRing;
}

/** An audit tile as it arrives. Nothing in it makes it throw. */
export class TileReader {
  readonly #options: TileReaderOptions;
  readonly #entries: Y.Map<unknown>;
  readonly #listeners = new Set<() => void>();
  readonly #observer = (): void => this.#tell();
  #broken: string | undefined;

  constructor(doc: SharedDoc, options: TileReaderOptions) {
    this.#options = options;
    this.#entries = doc.getMap(ROOT.tile);
    this.#entries.observe(this.#observer);
  }

  /** Numbers of the entries that are here, lowest first. */
  get numbers(): readonly number[] {
    const digits = [...this.#entries.keys()].filter((key) => /^[1-9]\d{0,15}$/.test(key));
    return digits.map(Number).toSorted((a, b) => a - b);
  }

  /** One entry's canonical bytes; `undefined` when it is not here. */
  entry(seq: number): Readable<Uint8Array> | undefined {
    const bytes = this.#entries.get(String(seq));
    if (bytes === undefined) return undefined;
    if (!(bytes instanceof Uint8Array)) return damaged(`The audit entry ${seq} is no bytes.`);
    const { crypto, keys, name } = this.#options;
    return openTileEntry(crypto, name, keys(), seq, bytes);
  }

  /** Why it can no longer be followed; `undefined` while it can. */
  get broken(): string | undefined {
    return this.#broken;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  destroy(): void {
    this.#entries.unobserve(this.#observer);
    this.#listeners.clear();
  }

  #tell(): void {
    try {
      for (const listener of this.#listeners) listener();
    } catch (thrown) {
      // Whatever it was: an exception in a handler of Yjs would leave the document silent for good.
      this.#broken ??= messageOf(thrown);
    }
  }
}

/** A full tile, from the object whose hash the manifest names. Its entries are opened one by one: it has a thousand. */
export function readTileObject(
  crypto: TileCrypto,
  name: string,
  keys: KeyRing,
  tile: ManifestTile,
  bytes: Uint8Array,
): Result<TileReader> {
  const hash = fromHex(tile.sha256);
  if (bytes.length !== tile.bytes || hash === undefined || !equalBytes(crypto.sha256(bytes), hash))
    return err(`The audit tile ${tile.tile} is not the one the home listed.`);
  const doc = new Y.Doc({ gc: true });
  // The home signed the hash of these bytes, so Yjs reads nobody else's.
  Y.applyUpdate(doc, bytes);
  return ok(new TileReader(doc, { crypto, name, keys: () => keys }));
}

function lockOf(hmac: Crypto['hmac'], name: string, key: ContentKey, seq: number): Lock {
  const nonce = hmac(key.tile, utf8(`${name}|${seq}`)).slice(0, NONCE_BYTES);
  return { key: key.tile, nonce, aad: utf8(`${name}|${seq}|0|${key.gen}`) };
}
