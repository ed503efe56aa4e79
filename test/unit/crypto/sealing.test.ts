import { createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../../src/base/assert.ts';
import { concat, toHex, utf8 } from '../../../src/base/bytes.ts';
import { openBox, sealBox } from '../../../src/crypto/box.ts';
import { nobleCrypto } from '../../../src/crypto/noble.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { bytesOf } from '../../support/bytes-of.ts';
import { HMAC_VECTORS, X25519_SMALL_ORDER, X25519_VECTOR, XCHACHA_VECTOR } from './sealing-vectors.ts';

describe.each([
  ['noble', nobleCrypto],
  ['node', nodeCrypto],
])('sealing ports by %s', (_, crypto) => {
  test.each(HMAC_VECTORS)('HMAC-SHA-256 is that of RFC 4231, $name', ({ key, mac, text }) => {
    expect(toHex(crypto.hmac(bytesOf(key), utf8(text)))).toBe(mac);
  });

  test('XChaCha20-Poly1305 is that of the draft', () => {
    const { aad, key, nonce, plain, sealed } = XCHACHA_VECTOR;
    const lock = { key: bytesOf(key), nonce: bytesOf(nonce), aad: bytesOf(aad) };
    expect(toHex(crypto.seal.seal(lock, utf8(plain)))).toBe(sealed);
    expect(crypto.seal.open(lock, bytesOf(sealed))).toEqual(utf8(plain));
  });

  test('[T20] what is sealed opens with nothing but what it was sealed with', () => {
    const lock = { key: new Uint8Array(32).fill(1), nonce: new Uint8Array(24).fill(2), aad: utf8('place') };
    const sealed = crypto.seal.seal(lock, utf8('secret'));
    const other = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => (at === 3 ? byte ^ 1 : byte));
    expect(crypto.seal.open({ ...lock, key: other(lock.key) }, sealed)).toBeUndefined();
    expect(crypto.seal.open({ ...lock, nonce: other(lock.nonce) }, sealed)).toBeUndefined();
    expect(crypto.seal.open({ ...lock, aad: utf8('elsewhere') }, sealed)).toBeUndefined();
    for (let at = 0; at < sealed.length; at += 1)
      expect(
        crypto.seal.open(
          lock,
          sealed.map((byte, index) => (index === at ? byte ^ 128 : byte)),
        ),
      ).toBeUndefined();
    for (let length = 0; length < sealed.length; length += 1)
      expect(crypto.seal.open(lock, sealed.subarray(0, length))).toBeUndefined();
  });

  test('X25519 is that of RFC 7748', async () => {
    const alice = crypto.agreement(bytesOf(X25519_VECTOR.alice));
    const bob = crypto.agreement(bytesOf(X25519_VECTOR.bob));
    expect(toHex(alice.publicKey)).toBe(X25519_VECTOR.alicePublic);
    expect(toHex(bob.publicKey)).toBe(X25519_VECTOR.bobPublic);
    expect(toHex((await alice.agree(bob.publicKey)) ?? new Uint8Array(0))).toBe(X25519_VECTOR.shared);
    expect(toHex((await bob.agree(alice.publicKey)) ?? new Uint8Array(0))).toBe(X25519_VECTOR.shared);
  });

  test('[T9] no secret is shared with a key of small order, or of another length', async () => {
    const own = crypto.agreement(bytesOf(X25519_VECTOR.alice));
    for (const key of X25519_SMALL_ORDER) expect(await own.agree(bytesOf(key)), key).toBeUndefined();
    for (const length of [0, 31, 33]) expect(await own.agree(new Uint8Array(length).fill(9))).toBeUndefined();
    expect(() => crypto.agreement(new Uint8Array(31))).toThrow(InvariantError);
  });

  test('an agreement keeps its secret when the caller wipes it', async () => {
    const secret = bytesOf(X25519_VECTOR.alice);
    const alice = crypto.agreement(secret);
    secret.fill(0);
    expect(toHex((await alice.agree(bytesOf(X25519_VECTOR.bobPublic))) ?? secret)).toBe(X25519_VECTOR.shared);
  });
});

describe('a box', () => {
  const crypto = nodeCrypto;
  const to = crypto.agreement(bytesOf(X25519_VECTOR.bob));
  const context = utf8('home|workspace|1|device');
  const made = (plain: Uint8Array, publicKey = to.publicKey) =>
    sealBox(crypto, { publicKey, context, once: bytesOf(X25519_VECTOR.alice) }, plain);

  test('opens for its key in its context, 48 bytes longer than what is in it', async () => {
    for (const plain of [new Uint8Array(0), new Uint8Array(32).fill(7)]) {
      const box = (await made(plain)) ?? new Uint8Array(0);
      expect(box.length).toBe(plain.length + 48);
      expect(await openBox(crypto, to, context, box)).toEqual(plain);
    }
  });

  test('is ephemeral key ‖ XChaCha20-Poly1305 under HKDF-SHA-256 of the shared secret', async () => {
    const box = await made(utf8('plain'));
    const extracted = hmac(utf8('countersign box|1\n'), bytesOf(X25519_VECTOR.shared));
    const info = concat(bytesOf(X25519_VECTOR.alicePublic), bytesOf(X25519_VECTOR.bobPublic), Uint8Array.of(1));
    const lock = { key: hmac(extracted, info), nonce: new Uint8Array(24), aad: context };
    expect(box).toEqual(concat(bytesOf(X25519_VECTOR.alicePublic), crypto.seal.seal(lock, utf8('plain'))));
  });

  test('[T20] opens for nobody else, in no other context, and not with a bit changed', async () => {
    const box = (await made(utf8('plain'))) ?? new Uint8Array(0);
    const other = crypto.agreement(bytesOf(X25519_VECTOR.alice));
    expect(await openBox(crypto, other, context, box)).toBeUndefined();
    expect(await openBox(crypto, to, utf8('home|workspace|2|device'), box)).toBeUndefined();
    for (let at = 0; at < box.length; at += 1) {
      // The highest bit of the ephemeral key means nothing to X25519; the key derivation holds it all the same.
      const changed = box.map((byte, index) => (index === at ? byte ^ 128 : byte));
      expect(await openBox(crypto, to, context, changed), String(at)).toBeUndefined();
    }
    for (const length of [0, 31, 32, 47, box.length - 1])
      expect(await openBox(crypto, to, context, box.subarray(0, length))).toBeUndefined();
  });

  test('is not made for a key that shares nothing, and not opened from one', async () => {
    for (const key of X25519_SMALL_ORDER) {
      expect(await made(utf8('plain'), bytesOf(key))).toBeUndefined();
      expect(await openBox(crypto, to, context, concat(bytesOf(key), new Uint8Array(48)))).toBeUndefined();
    }
  });
});

test('OpenSSL shares the same secrets', async () => {
  const der = (prefix: string, hex: string): Buffer => Buffer.from(prefix + hex, 'hex');
  const key = { format: 'der' } as const;
  for (let n = 1; n < 20; n += 1) {
    const secret = toHex(nodeCrypto.sha256(Uint8Array.of(n)));
    const privateKey = createPrivateKey({
      ...key,
      key: der('302e020100300506032b656e04220420', secret),
      type: 'pkcs8',
    });
    const publicKey = createPublicKey({
      ...key,
      key: der('302a300506032b656e032100', X25519_VECTOR.bobPublic),
      type: 'spki',
    });
    const ours = await nodeCrypto.agreement(bytesOf(secret)).agree(bytesOf(X25519_VECTOR.bobPublic));
    expect(toHex(ours ?? new Uint8Array(0))).toBe(diffieHellman({ privateKey, publicKey }).toString('hex'));
  }
});

function hmac(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update(bytes).digest());
}
