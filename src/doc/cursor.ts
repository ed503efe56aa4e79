import { concat, textOf, utf8 } from '../base/bytes.ts';

/** Bytes of a varUint: 7 bits each, lowest first, the eighth set on all but the last (as lib0 writes them). */
export function varUint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Uint8Array.of(...bytes, rest);
}

export function varString(text: string): Uint8Array {
  const bytes = utf8(text);
  return concat(varUint(bytes.length), bytes);
}

/**
 * Reads bytes from outside, front to back. Every answer is `undefined` when the bytes end too early, or are not the
 * one form a writer gives a value: no two envelopes read as the same.
 */
export class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number | undefined {
    return this.#bytes[this.#at++];
  }

  varUint(): number | undefined {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.byte();
      if (byte === undefined) return undefined;
      value += (byte & 127) * scale;
      if (!Number.isSafeInteger(value)) return undefined;
      if (byte < 128) return byte === 0 && scale > 1 ? undefined : value;
    }
    return undefined;
  }

  take(count: number): Uint8Array | undefined {
    if (this.#at + count > this.#bytes.length) return undefined;
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  varString(bytesMax: number): string | undefined {
    const length = this.varUint();
    const bytes = length === undefined || length > bytesMax ? undefined : this.take(length);
    return bytes === undefined ? undefined : textOf(bytes);
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(Math.min(this.#at, this.#bytes.length));
  }
}
