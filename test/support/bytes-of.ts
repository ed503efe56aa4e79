import { assert } from '../../src/base/assert.ts';
import { fromHex } from '../../src/base/bytes.ts';

/** Bytes of a hexadecimal literal in a test. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  assert(bytes, `not hexadecimal: ${hex}`);
  return bytes;
}
