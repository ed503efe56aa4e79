import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../../src/base/assert.ts';
import { concat, toHex, utf8 } from '../../../src/base/bytes.ts';
import { cachedByKey, KEY_CACHE_MAX } from '../../../src/crypto/key-cache.ts';
import { nobleCrypto, nobleSigner } from '../../../src/crypto/noble.ts';
import { nodeCrypto, nodeRandom, nodeSigner } from '../../../src/crypto/node.ts';
import type { Crypto, Signer } from '../../../src/crypto/ports.ts';
import { bytesOf } from '../../support/bytes-of.ts';
import { ED25519_VECTORS, SHA256_VECTORS, SMALL_ORDER_KEYS } from './vectors.ts';

const IMPLEMENTATIONS: readonly { name: string; crypto: Crypto; signerOf: (seed: Uint8Array) => Signer }[] = [
  { name: 'noble', crypto: nobleCrypto, signerOf: nobleSigner },
  { name: 'node', crypto: nodeCrypto, signerOf: nodeSigner },
];
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

describe.each(IMPLEMENTATIONS)('crypto ports by $name', ({ crypto, signerOf }) => {
  const signer = signerOf(bytesOf(ED25519_VECTORS[1].seed));
  const message = utf8('a message');
  const signature = signer.sign(message);

  test.each(SHA256_VECTORS)('hashes $times × "$text" as FIPS 180-4 does', ({ text, times, hash }) => {
    expect(toHex(crypto.sha256(utf8(text.repeat(times))))).toBe(hash);
  });

  test.each(ED25519_VECTORS)('signs and verifies RFC 8032 $name', (vector) => {
    const vectorSigner = signerOf(bytesOf(vector.seed));
    expect(toHex(vectorSigner.publicKey)).toBe(vector.publicKey);
    expect(toHex(vectorSigner.sign(bytesOf(vector.message)))).toBe(vector.signature);
    expect(crypto.verify(bytesOf(vector.publicKey), bytesOf(vector.message), bytesOf(vector.signature))).toBe(true);
  });

  test('answers plain byte arrays of their own memory', () => {
    for (const bytes of [signer.publicKey, signature, crypto.sha256(message)]) {
      expect(Object.getPrototypeOf(bytes)).toBe(Uint8Array.prototype);
      expect(bytes.buffer.byteLength).toBe(bytes.length);
    }
  });

  test('refuses every signature with one bit changed, and every changed message', () => {
    for (let bit = 0; bit < signature.length * 8; bit += 7) {
      expect(crypto.verify(signer.publicKey, message, flipped(signature, bit))).toBe(false);
    }
    expect(crypto.verify(signer.publicKey, utf8('a massage'), signature)).toBe(false);
  });

  test('answers false, and does not throw, for lengths and points that are none', () => {
    const { publicKey } = signer;
    for (const key of [publicKey.subarray(1), new Uint8Array(0), concat(publicKey, publicKey), ones(32)]) {
      expect(crypto.verify(key, message, signature)).toBe(false);
    }
    for (const wrong of [signature.subarray(1), new Uint8Array(0), concat(signature, Uint8Array.of(0)), ones(64)]) {
      expect(crypto.verify(publicKey, message, wrong)).toBe(false);
    }
  });

  test('[T9] refuses the second signature that adding the group order to s would make', () => {
    const s = littleEndian(signature.subarray(32)) + GROUP_ORDER;
    expect(crypto.verify(signer.publicKey, message, concat(signature.subarray(0, 32), toLittleEndian(s)))).toBe(false);
  });

  test.each(SMALL_ORDER_KEYS)(
    '[T9] refuses the small-order key %s, under which one signature fits any message',
    (key) => {
      const forged = concat(bytesOf(SMALL_ORDER_KEYS[0]), new Uint8Array(32));
      for (let i = 0; i < 16; i += 1) expect(crypto.verify(bytesOf(key), Uint8Array.of(i), forged)).toBe(false);
    },
  );

  test('[T9] refuses keys and nonces with a torsion part, on which verifiers are free to differ', () => {
    for (const { key, forged } of torsionForgeries(message)) expect(crypto.verify(key, message, forged)).toBe(false);
  });

  test('refuses a seed of the wrong length', () => {
    expect(() => signerOf(new Uint8Array(31))).toThrow(InvariantError);
  });
});

test('a signer keeps its key when the caller wipes the seed', () => {
  const seed = bytesOf(ED25519_VECTORS[0].seed);
  const signers = [nobleSigner(seed), nodeSigner(seed)];
  seed.fill(0);
  for (const signer of signers) expect(toHex(signer.sign(new Uint8Array(0)))).toBe(ED25519_VECTORS[0].signature);
});

test('the key cache asks once a key, and forgets the key unused for longest', () => {
  const asked: string[] = [];
  const cached = cachedByKey((key) => asked.push(toHex(key)));
  for (let i = 0; i < KEY_CACHE_MAX; i += 1) cached(seedOf(i));
  cached(seedOf(0));
  expect(asked).toHaveLength(KEY_CACHE_MAX);
  cached(seedOf(KEY_CACHE_MAX));
  cached(seedOf(0));
  expect(asked).toHaveLength(KEY_CACHE_MAX + 1);
  cached(seedOf(1));
  expect(asked.at(-1)).toBe(toHex(seedOf(1)));
});

test('the dice give as many bytes as asked for, and others each time', () => {
  expect(nodeRandom.bytes(0)).toHaveLength(0);
  expect(nodeRandom.bytes(32)).toHaveLength(32);
  expect(toHex(nodeRandom.bytes(16))).not.toBe(toHex(nodeRandom.bytes(16)));
});

/** Signatures that only one of the two verification equations of RFC 8032 accepts, made with a known secret. */
function torsionForgeries(message: Uint8Array): { key: Uint8Array; forged: Uint8Array }[] {
  const { Point } = ed25519;
  const torsion = Point.fromHex(SMALL_ORDER_KEYS[6]);
  const secret = 7n;
  const nonce = 11n;
  const makes = [
    { key: Point.BASE.multiply(secret), nonce: Point.BASE.multiply(nonce).add(torsion) },
    { key: Point.BASE.multiply(secret).add(torsion), nonce: Point.BASE.multiply(nonce) },
    { key: Point.BASE.multiply(secret).add(torsion), nonce: Point.BASE.multiply(nonce).add(torsion) },
  ];
  return makes.map((made) => {
    const key = made.key.toBytes();
    const r = made.nonce.toBytes();
    const challenge = littleEndian(sha512(concat(r, key, message))) % GROUP_ORDER;
    return { key, forged: concat(r, toLittleEndian((nonce + challenge * secret) % GROUP_ORDER)) };
  });
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
}

function ones(count: number): Uint8Array {
  return new Uint8Array(count).fill(0xff);
}

function seedOf(n: number): Uint8Array {
  return new Uint8Array(32).fill(n & 0xff).fill(n >> 8, 0, 16);
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
}

function toLittleEndian(value: bigint): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 255n));
}
