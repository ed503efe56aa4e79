import { concat, fromHex, textOf, toHex, utf8 } from '../base/bytes.ts';
import { assert } from '../base/assert.ts';
import type { SignedText } from '../model/signed-text.ts';

export const SIGNATURE_BYTES = 64;

/** A signed text as it is sealed: the 64 bytes of the signature, then the payload's UTF-8. */
export function toSignedBytes({ payload, signature }: SignedText): Uint8Array {
  const bytes = fromHex(signature);
  assert(bytes?.length === SIGNATURE_BYTES, 'a signature has 128 hexadecimal digits');
  return concat(bytes, utf8(payload));
}

export function fromSignedBytes(bytes: Uint8Array): SignedText | undefined {
  const payload = bytes.length > SIGNATURE_BYTES ? textOf(bytes.subarray(SIGNATURE_BYTES)) : undefined;
  return payload === undefined ? undefined : { payload, signature: toHex(bytes.subarray(0, SIGNATURE_BYTES)) };
}
