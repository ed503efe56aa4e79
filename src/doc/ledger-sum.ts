import { concat, toHex, utf8 } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';

const BUCKETS = 256;
const PREFIX = utf8('countersign ledger|1\n');

interface Bucket {
  /** Sorted, so that the order in which they came is forgotten. */
  readonly members: readonly Uint8Array[];
  hash: Uint8Array | undefined;
}

/**
 * One hash over a set of hashes, kept while members come and go: SHA-256 over 256 buckets, each the SHA-256 of its
 * members, which are those that begin with its number. A step costs one bucket and 8 KiB of hashing, also with 10,000
 * members. (A sum of hashes as numbers would cost less, and a relay that kept thousands of old records could find a
 * mixture of them with the same sum: Wagner's generalized birthday.)
 */
export class LedgerHash {
  readonly #sha256: Sha256;
  readonly #empty: Bucket;
  readonly #buckets: Bucket[];
  #count = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
    this.#empty = { members: [], hash: sha256(new Uint8Array(0)) };
    this.#buckets = Array.from({ length: BUCKETS }, () => this.#empty);
  }

  /** One that goes its own way from here. */
  copy(): LedgerHash {
    const copy = new LedgerHash(this.#sha256);
    this.#buckets.forEach((bucket, index) => (copy.#buckets[index] = bucket));
    copy.#count = this.#count;
    return copy;
  }

  add(hash: Uint8Array): void {
    const { members } = this.#bucket(hash);
    const at = members.findIndex((member) => compareBytes(hash, member) <= 0);
    this.#set(hash, members.toSpliced(at === -1 ? members.length : at, 0, hash));
    this.#count += 1;
  }

  /** Takes one of that hash out, if there is one. */
  remove(hash: Uint8Array): void {
    const { members } = this.#bucket(hash);
    const at = members.findIndex((member) => compareBytes(hash, member) === 0);
    if (at === -1) return;
    this.#set(hash, members.toSpliced(at, 1));
    this.#count -= 1;
  }

  /** As a sum record says it. */
  present(): { readonly count: number; readonly sum: string } {
    const hashes = this.#buckets.map((bucket) => (bucket.hash ??= this.#sha256(concat(...bucket.members))));
    return { count: this.#count, sum: toHex(this.#sha256(concat(PREFIX, ...hashes))) };
  }

  #bucket(hash: Uint8Array): Bucket {
    return this.#buckets[hash[0] ?? 0] ?? this.#empty;
  }

  #set(hash: Uint8Array, members: readonly Uint8Array[]): void {
    this.#buckets[hash[0] ?? 0] = { members, hash: undefined };
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
