import type { Crypto } from '../../crypto/ports.ts';
import { blobAddress, sealBlob } from '../../doc/blob.ts';
import type { ContentKey, KeyPlace } from '../../doc/keys.ts';
import type { ActionId, Digest } from '../../model/ids.ts';
import type { BlobRef } from '../../model/content.ts';
import { SYNC_LIMITS } from '../../sync/messages.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import type { Outlet } from './outlet.ts';

export interface BlobsParts {
  readonly crypto: Crypto;
  readonly place: KeyPlace;
  readonly outlet: Pick<Outlet, 'put'>;
  /** Throws: `not-found`. */
  readonly read: (hash: Digest) => Uint8Array;
}

interface Staged {
  readonly key: ContentKey;
  readonly hash: Digest;
  readonly plain: () => Uint8Array;
}

/** Bytes that sealing adds at most. */
const SEALED_MORE = 64;

/**
 * Hands blobs to the outlet: each once under one key, payloads of open actions up to a total. What is left out for want
 * of room is put when something else has settled.
 */
export class Blobs {
  readonly #parts: BlobsParts;
  /** Blobs that were handed over, or will be when what speaks of them is durable: key and hash, oldest first. */
  readonly #put = new Set<string>();
  #staged: Staged[] = [];
  /** Payloads of open actions that are counted, with how many actions hold each. */
  readonly #held = new Map<Digest, { readonly bytes: number; actions: number }>();
  readonly #of = new Map<ActionId, readonly BlobRef[]>();
  /** Open actions some of whose payloads found no room. */
  readonly #left = new Map<ActionId, readonly BlobRef[]>();
  #bytes = 0;

  constructor(parts: BlobsParts) {
    this.#parts = parts;
  }

  /** Stages a blob for `flush`; `plain` is called when the bytes are sent. */
  put(key: ContentKey, hash: Digest, plain: () => Uint8Array): void {
    const name = nameOf(key, hash);
    if (this.#put.has(name)) return;
    this.#put.add(name);
    if (this.#put.size > PUBLISH_LIMITS.putsKept) {
      const oldest = this.#put.values().next();
      if (oldest.done !== true) this.#put.delete(oldest.value);
    }
    this.#staged.push({ key, hash, plain });
  }

  /** What speaks of them is durable. */
  flush(): void {
    const { crypto, outlet, place } = this.#parts;
    const staged = this.#staged;
    this.#staged = [];
    for (const { hash, key, plain } of staged) {
      const address = blobAddress(crypto.hmac, key, hash);
      outlet.put(`b/${place.workspace}/${address}`, () => sealBlob(crypto, place, key, plain()).sealed);
    }
  }

  /** What speaks of them was lost. */
  unstage(): void {
    for (const { hash, key } of this.#staged) this.#put.delete(nameOf(key, hash));
    this.#staged = [];
  }

  /** Puts what an open action refers to; asked again, what it refers to now. */
  open(key: ContentKey, id: ActionId, refs: readonly BlobRef[]): void {
    const before = this.#of.get(id);
    if (before !== undefined && sameRefs(before, refs)) return this.#putAll(key, before);
    this.settled(id);
    const taken = refs.filter((ref) => this.#take(ref));
    this.#of.set(id, taken);
    const left = refs.filter((ref) => !taken.includes(ref));
    if (left.length > 0) this.#left.set(id, left);
    this.#putAll(key, taken);
  }

  /** It is not open any more: its payloads stay where they are and count no longer. */
  settled(id: ActionId): void {
    for (const { $blob } of this.#of.get(id) ?? []) {
      const held = this.#held.get($blob);
      if (held === undefined || --held.actions > 0) continue;
      this.#held.delete($blob);
      this.#bytes -= held.bytes;
    }
    this.#of.delete(id);
    this.#left.delete(id);
  }

  /** Actions whose payloads may find room now. */
  waiting(): readonly ActionId[] {
    const free = PUBLISH_LIMITS.openBlobBytesMax - this.#bytes;
    return [...this.#left].flatMap(([id, refs]) => (refs.some(({ bytes }) => bytes <= free) ? [id] : []));
  }

  /** Everything is put again when it is next spoken of: the relay has lost it. */
  forget(): void {
    this.#put.clear();
  }

  #take({ $blob, bytes }: BlobRef): boolean {
    const held = this.#held.get($blob);
    if (held !== undefined) {
      held.actions += 1;
      return true;
    }
    if (bytes + SEALED_MORE > SYNC_LIMITS.blobBytesMax || this.#bytes + bytes > PUBLISH_LIMITS.openBlobBytesMax)
      return false;
    this.#held.set($blob, { bytes, actions: 1 });
    this.#bytes += bytes;
    return true;
  }

  #putAll(key: ContentKey, refs: readonly BlobRef[]): void {
    for (const { $blob } of refs) this.put(key, $blob, () => this.#parts.read($blob));
  }
}

function sameRefs(taken: readonly BlobRef[], refs: readonly BlobRef[]): boolean {
  return taken.length === refs.length && taken.every(({ $blob }, at) => $blob === refs[at]?.$blob);
}

function nameOf(key: ContentKey, hash: Digest): string {
  return `${key.gen} ${hash}`;
}
