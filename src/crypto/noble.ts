import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { assert } from '../base/assert.ts';
import { cachedByKey } from './key-cache.ts';
import type { Crypto, Signer } from './ports.ts';

/** Bytes of an Ed25519 secret seed, of a public key, and of either half of a signature. */
export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

const isSoundKey = cachedByKey((publicKey) => isPrimeOrderPoint(publicKey));

/** The crypto ports without any platform: pages, extension workers, and Node alike. */
export const nobleCrypto: Crypto = {
  sha256: (bytes) => sha256(bytes),
  verify: (publicKey, message, signature) => {
    if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
    return (
      isSoundKey(publicKey) &&
      isPrimeOrderPoint(signature.subarray(0, KEY_BYTES)) &&
      ed25519.verify(signature, message, publicKey, { zip215: false })
    );
  },
};

/** An Ed25519 signer (RFC 8032) from its 32-byte secret seed. */
export function nobleSigner(seed: Uint8Array): Signer {
  assert(seed.length === KEY_BYTES, `an Ed25519 seed has ${KEY_BYTES} bytes, not ${seed.length}`);
  const secret = seed.slice();
  const publicKey = ed25519.getPublicKey(secret);
  return {
    publicKey,
    sign: (message) => ed25519.sign(message, secret),
  };
}

/**
 * Is this the canonical encoding of a point of the prime-order group?
 *
 * RFC 8032 leaves verifiers free to differ on points outside it (small order, mixed order, a nonce with a torsion
 * part). A hostile device could then sign what the panel accepts and the runtime refuses, so such points are refused
 * everywhere. No honest signer makes one.
 */
export function isPrimeOrderPoint(encoded: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(encoded);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    // fromBytes throws on what is no canonical encoding of a curve point, and on nothing else.
    return false;
  }
}
