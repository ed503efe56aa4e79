import { parseCanonical, type Json } from '../../base/canonical-json.ts';
import { CountersignError } from '../../base/errors.ts';
import { read, record, text, type Reader } from '../../base/shape.ts';
import type { Result } from '../../base/result.ts';
import type { SignedText } from '../../model/signed-text.ts';

/** UTF-8 bytes of the longest signed payload: a head. */
const PAYLOAD_BYTES_MAX = 2 * 1024 * 1024;

const signedText: Reader<SignedText> = record({
  payload: text({ bytesMax: PAYLOAD_BYTES_MAX }),
  signature: text({ bytesMin: 128, bytesMax: 128 }),
});

/** A signed text that came from outside, or back from storage. That it is signed is checked where it is opened. */
export function parseSignedText(value: Json): Result<SignedText> {
  return read(signedText, value);
}

export function signedTextJson({ payload, signature }: SignedText): Json {
  return { payload, signature };
}

/** A signed text as an object of the relay: canonical JSON. `undefined` for anything else. */
export function signedTextOf(bytes: Uint8Array): SignedText | undefined {
  const value = canonicalOf(bytes);
  const parsed = value === undefined ? undefined : parseSignedText(value);
  return parsed?.ok === true ? parsed.value : undefined;
}

/** The value of canonical bytes; `undefined` for bytes that are not. */
export function canonicalOf(bytes: Uint8Array): Json | undefined {
  try {
    return parseCanonical(bytes);
  } catch (thrown) {
    if (CountersignError.is(thrown) && thrown.code === 'bad-input') return undefined;
    throw thrown;
  }
}

export function sameSigned(a: SignedText, b: SignedText): boolean {
  return a.payload === b.payload;
}
