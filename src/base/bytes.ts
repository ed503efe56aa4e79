const encoder = new TextEncoder();
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of valid UTF-8, a leading BOM kept; `undefined` for anything else. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    // The decoder throws a TypeError on invalid UTF-8, and on nothing else.
    return undefined;
  }
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Bytes of lower-case hexadecimal text; `undefined` for anything else. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [digitOf(text.charCodeAt(2 * at)), digitOf(text.charCodeAt(2 * at + 1))];
    if (high < 0 || low < 0) return undefined;
    bytes[at] = 16 * high + low;
  }
  return bytes;
}

/** Of one UTF-16 unit; −1 for what is no lower-case hexadecimal digit. */
function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  return unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : -1;
}

/** RFC 4648 base32, lower case, unpadded: short ids that survive case-folding and double clicks. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(buffer >>> bits) & 31];
      buffer &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + BASE32[(buffer << (5 - bits)) & 31];
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const BASE64URL_VALUE = new Map(BASE64URL.split('').map((letter, value) => [letter, value]));

/** RFC 4648 base64url, unpadded. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = Math.min(3, bytes.length - at);
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    for (let digit = 0; digit <= left; digit++) text += BASE64URL[(group >>> (18 - 6 * digit)) & 63];
  }
  return text;
}

/** Bytes of unpadded base64url; `undefined` for anything else, also for spare bits that are not zero. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (const letter of text) {
    const value = BASE64URL_VALUE.get(letter);
    if (value === undefined) return undefined;
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = (buffer >>> bits) & 0xff;
  }
  const spare = buffer & ((1 << bits) - 1);
  return bits === 6 || spare !== 0 ? undefined : bytes;
}
