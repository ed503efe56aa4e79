import { concat, equalBytes, toHex, utf8 } from '../../src/base/bytes.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';
import type { Crypto, Lock, Signer } from '../../src/crypto/ports.ts';

/** The crypto of one simulation: the real one, or keyed hashes behind the same ports. */
export interface SimCrypto {
  readonly crypto: Crypto;
  signer(seed: Uint8Array): Signer;
}

export const realCrypto: SimCrypto = { crypto: nodeCrypto, signer: nodeSigner };

const TAG_BYTES = 16;

/**
 * Signatures and seals that cost one hash. Who has no seed cannot make one: the verifier knows the seeds of all signers,
 * as a real one knows what only mathematics hides. What is sealed cannot be changed, but can be read.
 */
export function quickCrypto(): SimCrypto {
  const { sha256, hmac } = nodeCrypto;
  const seeds = new Map<string, Uint8Array>();
  const sign = (seed: Uint8Array, message: Uint8Array): Uint8Array => {
    const half = sha256(concat(seed, message));
    return concat(half, half);
  };
  const crypto: Crypto = {
    sha256,
    hmac,
    verify: (publicKey, message, signature) => {
      const seed = seeds.get(toHex(publicKey));
      return seed !== undefined && equalBytes(sign(seed, message), signature);
    },
    seal: {
      seal: (lock, plain) => concat(plain, tagOf(lock, plain)),
      open: (lock, sealed) => {
        if (sealed.length < TAG_BYTES) return undefined;
        const plain = sealed.slice(0, sealed.length - TAG_BYTES);
        return equalBytes(tagOf(lock, plain), sealed.subarray(sealed.length - TAG_BYTES)) ? plain : undefined;
      },
    },
    agreement: (secret) => {
      const publicKey = sha256(concat(utf8('box|'), secret));
      return {
        publicKey,
        agree: (other) =>
          Promise.resolve(
            toHex(publicKey) < toHex(other) ? sha256(concat(publicKey, other)) : sha256(concat(other, publicKey)),
          ),
      };
    },
  };
  const tagOf = ({ key, nonce, aad }: Lock, plain: Uint8Array): Uint8Array =>
    sha256(concat(key, nonce, aad, plain)).subarray(0, TAG_BYTES);
  return {
    crypto,
    signer: (seed) => {
      const publicKey = sha256(concat(utf8('public|'), seed));
      seeds.set(toHex(publicKey), seed);
      return { publicKey, sign: (message) => sign(seed, message) };
    },
  };
}
