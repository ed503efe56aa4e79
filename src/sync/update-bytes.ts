import { textOf } from '../base/bytes.ts';

/** What a reader of hostile bytes ends with: a sentence for the log of a relay, about bytes and never their content. */
export class MalformedBytes extends Error {
  override readonly name = 'MalformedBytes';
}

/** Bytes of the longest varUint: 2⁵³ − 1 has 53 bits, 7 a byte. */
const VAR_BYTES_MAX = 8;
/** Nesting of values; what lib0 reads by calling itself, nobody nests deeper. */
const DEPTH_MAX = 64;

/** Walks over bytes as lib0 writes them, front to back. Throws: `MalformedBytes`, and nothing else. */
export class ByteWalk {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new MalformedBytes('it ends too early');
    this.#at += 1;
    return byte;
  }

  uint(): number {
    let value = 0;
    for (let length = 0, scale = 1; length < VAR_BYTES_MAX; length += 1, scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (!Number.isSafeInteger(value)) break;
        return value;
      }
    }
    throw new MalformedBytes('a number in it is too large');
  }

  /** A count of things that take at least `bytesEach` bytes each: more than are left would be a lie. */
  count(bytesEach: number): number {
    const count = this.uint();
    if (count * bytesEach > this.left) throw new MalformedBytes('it says that it holds more than it does');
    return count;
  }

  over(count: number): void {
    if (count > this.left) throw new MalformedBytes('it ends too early');
    this.#at += count;
  }

  text(): string {
    const length = this.uint();
    this.over(length);
    const text = textOf(this.#bytes.subarray(this.#at - length, this.#at));
    if (text === undefined) throw new MalformedBytes('a text in it is not UTF-8');
    return text;
  }

  overBytes(): void {
    this.over(this.uint());
  }

  /** One value of lib0's `any`. A key `__proto__` would give the object another prototype when it is read. */
  overAny(depth = 0): void {
    if (depth > DEPTH_MAX) throw new MalformedBytes('a value in it is nested too deeply');
    const type = this.byte();
    switch (type) {
      case 127:
      case 126:
      case 121:
      case 120:
        return;
      case 125:
        return this.#overVarInt();
      case 124:
        return this.over(4);
      case 123:
      case 122:
        return this.over(8);
      case 119:
        return void this.text();
      case 118:
        for (let left = this.count(2); left > 0; left -= 1) {
          refuseKey(this.text());
          this.overAny(depth + 1);
        }
        return;
      case 117:
        for (let left = this.count(1); left > 0; left -= 1) this.overAny(depth + 1);
        return;
      case 116:
        return this.overBytes();
      default:
        throw new MalformedBytes('a value in it is of no known type');
    }
  }

  /** JSON text as Yjs reads it with `JSON.parse`, which throws and has its own idea of `__proto__`. */
  overJson(): void {
    const text = this.text();
    if (text === 'undefined') return;
    try {
      JSON.parse(text, (key, value: unknown) => {
        refuseKey(key);
        return value;
      });
    } catch (thrown) {
      if (thrown instanceof MalformedBytes) throw thrown;
      // A SyntaxError, or a RangeError for what is nested too deeply: no JSON of anybody's either way.
      throw new MalformedBytes('a value in it is not JSON');
    }
  }

  #overVarInt(): void {
    for (let length = 0; length <= VAR_BYTES_MAX; length += 1) if (this.byte() < 128) return;
    throw new MalformedBytes('a number in it is too large');
  }
}

function refuseKey(key: string): void {
  if (key === '__proto__') throw new MalformedBytes('a value in it has the key __proto__');
}
