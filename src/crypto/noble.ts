import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { ed25519, x25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { assert } from '../base/assert.ts';
import { cachedByKey } from './key-cache.ts';
import type { Agreement, Crypto, Seal, Signer } from './ports.ts';

/** Bytes of an Ed25519 secret seed, of a public key, and of either half of a signature. */
export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

const isSoundKey = cachedByKey((publicKey) => isPrimeOrderPoint(publicKey));

/** Shorter than its tag, or opened with anything but what it was sealed with: both are no message. */
export const nobleSeal: Seal = {
  seal: ({ key, nonce, aad }, plain) => xchacha20poly1305(key, nonce, aad).encrypt(plain),
  open({ key, nonce, aad }, sealed) {
    try {
      return xchacha20poly1305(key, nonce, aad).decrypt(sealed);
    } catch {
      // Key and nonce have their lengths by construction: what is left is a wrong tag.
      return undefined;
    }
  },
};

/** An X25519 key (RFC 7748) from its 32 secret bytes. */
export function nobleAgreement(secret: Uint8Array): Agreement {
  assert(secret.length === KEY_BYTES, `an X25519 secret has ${KEY_BYTES} bytes, not ${secret.length}`);
  const own = secret.slice();
  return {
    publicKey: x25519.getPublicKey(own),
    async agree(publicKey) {
      try {
        return x25519.getSharedSecret(own, publicKey);
      } catch {
        // A public key of small order, or of another length: there is no secret to share.
        return undefined;
      }
    },
  };
}

/** The crypto ports without any platform: pages, extension workers, and Node alike. */
export const nobleCrypto: Crypto = {
  sha256: (bytes) => sha256(bytes),
  hmac: (key, bytes) => hmac(sha256, key, bytes),
  seal: nobleSeal,
  agreement: nobleAgreement,
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
