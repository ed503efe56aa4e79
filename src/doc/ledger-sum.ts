import { toHex } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';

const WORDS = 8;

/**
 * The sum of SHA-256 hashes as numbers modulo 2²⁵⁶, kept while members come and go: its value depends on what is in
 * it and not on the order. Whoever can choose members freely could make two sets with one sum; these are sealed and
 * signed by the home, and a set that is not the home's holds only old ones of them.
 */
export class HashSum {
  readonly #sha256: Sha256;
  /** Lowest first, 32 bits each. */
  readonly #words = new Uint32Array(WORDS);
  #count = 0;

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
  }

  get count(): number {
    return this.#count;
  }

  add(bytes: Uint8Array): void {
    this.#count += 1;
    this.#combine(bytes, 1);
  }

  remove(bytes: Uint8Array): void {
    this.#count -= 1;
    this.#combine(bytes, -1);
  }

  /** One that goes its own way from here. */
  copy(): HashSum {
    const copy = new HashSum(this.#sha256);
    copy.#words.set(this.#words);
    copy.#count = this.#count;
    return copy;
  }

  /** 64 hexadecimal digits, highest first. */
  toHex(): string {
    const bytes = new Uint8Array(4 * WORDS);
    const view = new DataView(bytes.buffer);
    this.#words.forEach((word, index) => view.setUint32(4 * (WORDS - 1 - index), word));
    return toHex(bytes);
  }

  #combine(bytes: Uint8Array, sign: 1 | -1): void {
    const hash = this.#sha256(bytes);
    const view = new DataView(hash.buffer, hash.byteOffset, hash.byteLength);
    let carry = 0;
    for (let index = 0; index < WORDS; index += 1) {
      const word = (this.#words[index] ?? 0) + sign * view.getUint32(4 * (WORDS - 1 - index)) + carry;
      this.#words[index] = word; // modulo 2³², as the array stores it
      carry = Math.floor(word / 2 ** 32);
    }
  }
}
