import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  randomBytes,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { assert } from '../base/assert.ts';
import { concat, fromHex } from '../base/bytes.ts';
import type { Random } from '../base/random.ts';
import type { Crypto, Signer } from './ports.ts';
import { cachedByKey } from './key-cache.ts';
import { isPrimeOrderPoint, KEY_BYTES, nobleAgreement, nobleSeal, SIGNATURE_BYTES } from './noble.ts';

/** DER before the 32 raw bytes of an Ed25519 key (RFC 8410): PKCS #8 for the seed, SPKI for the public key. */
const PKCS8_PREFIX = der('302e020100300506032b657004220420');
const SPKI_PREFIX = der('302a300506032b6570032100');

/** OpenSSL takes any 32 bytes for a key; which ones count is decided here, once a key. */
const keyObject = cachedByKey((publicKey): KeyObject | undefined => {
  if (!isPrimeOrderPoint(publicKey)) return undefined;
  return createPublicKey({ key: Buffer.from(concat(SPKI_PREFIX, publicKey)), format: 'der', type: 'spki' });
});

/** The crypto ports on OpenSSL. Agrees with `nobleCrypto` on every input. */
export const nodeCrypto: Crypto = {
  sha256,
  hmac: (key, bytes) => plain(createHmac('sha256', key).update(bytes).digest()),
  // OpenSSL has no XChaCha20, and boxes are rare.
  seal: nobleSeal,
  agreement: nobleAgreement,
  verify: (publicKey, message, signature) => {
    if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
    const key = keyObject(publicKey);
    return key !== undefined && verify(null, message, key, signature);
  },
};

const SHA256_BYTES = 32;

/** By way of text of a byte a character: memory for a small buffer costs as much as the hash of what is small. */
function sha256(bytes: Uint8Array): Uint8Array {
  const text = hash('sha256', bytes, 'binary');
  const made = new Uint8Array(SHA256_BYTES);
  for (let at = 0; at < SHA256_BYTES; at++) made[at] = text.charCodeAt(at);
  return made;
}

/** An Ed25519 signer (RFC 8032) from its 32-byte secret seed. */
export function nodeSigner(seed: Uint8Array): Signer {
  assert(seed.length === KEY_BYTES, `an Ed25519 seed has ${KEY_BYTES} bytes, not ${seed.length}`);
  const key = createPrivateKey({ key: Buffer.from(concat(PKCS8_PREFIX, seed)), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: plain(spki.subarray(SPKI_PREFIX.length)),
    sign: (message) => plain(sign(null, message, key)),
  };
}

/** The operating system's dice. */
export const nodeRandom: Random = { bytes: (count) => plain(randomBytes(count)) };

/** A `Uint8Array` of its own memory: a Buffer prints, compares and slices differently. */
function plain(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer);
}

function der(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  assert(bytes, 'a DER prefix is hexadecimal');
  return bytes;
}
