import { concat, fromHex, toHex, utf8, equalBytes } from '../base/bytes.ts';
import { assert } from '../base/assert.ts';
import { ok } from '../base/result.ts';
import type { Crypto, Hmac, Lock } from '../crypto/ports.ts';
import type { Digest } from '../model/ids.ts';
import { Cursor, varUint } from './cursor.ts';
import type { ContentKey, KeyPlace, KeyRing } from './keys.ts';
import { damaged, noKey, TOO_NEW, type Readable } from './unreadable.ts';

const VERSION = 1;
const NONCE_BYTES = 24;

/** Where the relay keeps a blob: 64 hexadecimal digits, from which nobody without the key learns the hash. */
export function blobAddress(hmac: Hmac, key: ContentKey, hash: Digest): string {
  return toHex(hmac(key.address, hashBytes(hash)));
}

/** The blob as the relay gets it. Put twice under one key it is the same bytes: the nonce is a function of the hash. */
export function sealBlob(
  crypto: Pick<Crypto, 'sha256' | 'hmac' | 'seal'>,
  place: KeyPlace,
  key: ContentKey,
  plain: Uint8Array,
): { readonly address: string; readonly sealed: Uint8Array } {
  const hash = toHex(crypto.sha256(plain)) as Digest; // reason: SHA-256 as hexadecimal is a digest
  const sealed = crypto.seal.seal(lockOf(crypto.hmac, place, key, hash), plain);
  return {
    address: blobAddress(crypto.hmac, key, hash),
    sealed: concat(Uint8Array.of(VERSION), varUint(key.gen), sealed),
  };
}

/** The bytes whose hash was asked for, and no others. */
export function openBlob(
  crypto: Pick<Crypto, 'sha256' | 'hmac' | 'seal'>,
  place: KeyPlace,
  keys: KeyRing,
  hash: Digest,
  bytes: Uint8Array,
): Readable<Uint8Array> {
  const cursor = new Cursor(bytes);
  if (cursor.byte() !== VERSION) return bytes.length === 0 ? damaged('The blob is empty.') : TOO_NEW;
  const gen = cursor.varUint();
  if (gen === undefined) return damaged('The blob has no head.');
  const key = keys.of(gen);
  if (key === undefined) return noKey(gen);
  const plain = crypto.seal.open(lockOf(crypto.hmac, place, key, hash), cursor.rest());
  if (plain === undefined || !equalBytes(crypto.sha256(plain), hashBytes(hash)))
    return damaged('The blob is not the one that was asked for.');
  return ok(plain);
}

function lockOf(hmac: Hmac, { home, workspace }: KeyPlace, key: ContentKey, hash: Digest): Lock {
  const nonce = hmac(key.blob, hashBytes(hash)).slice(0, NONCE_BYTES);
  return { key: key.blob, nonce, aad: utf8(`b|${home}|${workspace}|${hash}`) };
}

function hashBytes(hash: Digest): Uint8Array {
  const bytes = fromHex(hash);
  assert(bytes, 'a digest is hexadecimal');
  return bytes;
}
