import { assert } from '../base/assert.ts';
import { concat, toHex, utf8 } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';

const BUCKETS = 256;
const PREFIX = utf8('countersign ledger|1\n');

interface Bucket {
  /** In order once they were hashed, so that the order in which they came is forgotten. */
  members: Uint8Array[];
  hash: Uint8Array | undefined;
  /** Stands in a copy, too: whoever changes it takes one of its own first. */
  shared: boolean;
}

/**
 * One hash over a set of hashes, kept while members come and go: SHA-256 over 256 buckets, each the SHA-256 of its
 * members, which are those that begin with its number. A step costs one bucket and 8 KiB of hashing, also with 10,000
 * members, and members that come together are put in order together: whoever sends a hundred thousand that begin alike
 * gains nothing. (A sum of hashes as numbers would cost less, and a relay that kept thousands of old records could find
 * a mixture of them with the same sum: Wagner's generalized birthday.)
 */
export class LedgerHash {
  readonly #sha256: Sha256;
  readonly #buckets: Bucket[];
  #count = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
    const empty: Bucket = { members: [], hash: undefined, shared: true };
    this.#buckets = Array.from({ length: BUCKETS }, () => empty);
  }

  /** One that goes its own way from here. */
  copy(): LedgerHash {
    const copy = new LedgerHash(this.#sha256);
    for (const [index, bucket] of this.#buckets.entries()) {
      bucket.shared = true;
      copy.#buckets[index] = bucket;
    }
    copy.#count = this.#count;
    return copy;
  }

  add(hash: Uint8Array): void {
    this.#own(hash).members.push(hash);
    this.#count += 1;
  }

  /** Takes one of that hash out, if there is one. */
  remove(hash: Uint8Array): void {
    const { members } = this.#bucket(hash);
    // Most often it is the very one that was added, which is found without looking into any.
    const same = members.indexOf(hash);
    const at = same === -1 ? members.findIndex((member) => compareBytes(hash, member) === 0) : same;
    if (at === -1) return;
    this.#own(hash).members.splice(at, 1);
    this.#count -= 1;
  }

  /** As a sum record says it. */
  present(): { readonly count: number; readonly sum: string } {
    const hashes = this.#buckets.map((bucket) => (bucket.hash ??= this.#hashOf(bucket)));
    return { count: this.#count, sum: toHex(this.#sha256(concat(PREFIX, ...hashes))) };
  }

  #hashOf(bucket: Bucket): Uint8Array {
    bucket.members.sort(compareBytes);
    return this.#sha256(concat(...bucket.members));
  }

  #bucket(hash: Uint8Array): Bucket {
    const bucket = this.#buckets[hash[0] ?? 0];
    assert(bucket !== undefined, 'there is a bucket for every byte');
    return bucket;
  }

  /** The bucket of this hash, about to change. */
  #own(hash: Uint8Array): Bucket {
    const bucket = this.#bucket(hash);
    const own = bucket.shared ? { members: [...bucket.members], hash: undefined, shared: false } : bucket;
    own.hash = undefined;
    this.#buckets[hash[0] ?? 0] = own;
    return own;
  }
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let at = 0; at < a.length; at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
