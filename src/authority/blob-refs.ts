import { utf8 } from '../base/bytes.ts';
import type { Json } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import { INLINE_BYTES_MAX, type BlobRef } from '../model/content.ts';
import type { Digest } from '../model/ids.ts';

/**
 * The value with every long string replaced by the address of its bytes.
 *
 * Throws: `bad-input` for a value that already looks like such an address: whoever sent it could name other bytes
 * than those a person is shown.
 */
export function withBlobRefs(value: Json, putBlob: (bytes: Uint8Array) => Digest): Json {
  if (typeof value === 'string') {
    if (value.length * 3 <= INLINE_BYTES_MAX) return value;
    const bytes = utf8(value);
    if (bytes.length <= INLINE_BYTES_MAX) return value;
    return { $blob: putBlob(bytes), bytes: bytes.length };
  }
  if (Array.isArray(value)) return value.map((item: Json) => withBlobRefs(item, putBlob));
  if (value === null || typeof value !== 'object') return value;
  if ('$blob' in value) throw new CountersignError('bad-input', 'The key $blob is reserved; use another name.');
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withBlobRefs(member, putBlob)]));
}

function isBlobRef(value: Json): value is Json & BlobRef {
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    '$blob' in value &&
    typeof value.$blob === 'string' &&
    'bytes' in value &&
    typeof value.bytes === 'number'
  );
}

/** Bytes in the blob store that the value refers to. */
export function payloadBytes(value: Json): number {
  let sum = 0;
  for (const { bytes } of blobRefsOf(value)) sum += bytes;
  return sum;
}

/** Every address of bytes in the value, also one that stands there twice. */
export function* blobRefsOf(value: Json): Generator<BlobRef> {
  if (value === null || typeof value !== 'object') return;
  if (isBlobRef(value)) yield value;
  else for (const member of Object.values(value)) yield* blobRefsOf(member);
}
