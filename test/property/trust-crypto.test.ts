import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toHex } from '../../src/base/bytes.ts';
import { nobleCrypto, nobleSigner } from '../../src/crypto/noble.ts';
import { nodeCrypto, nodeSigner } from '../../src/crypto/node.ts';

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const messages = fc.uint8Array({ maxLength: 300 });

test('both implementations make the same keys, signatures and hashes', () => {
  fc.assert(
    fc.property(seeds, messages, (seed, message) => {
      const noble = nobleSigner(seed);
      const node = nodeSigner(seed);
      expect(toHex(noble.publicKey)).toBe(toHex(node.publicKey));
      expect(toHex(noble.sign(message))).toBe(toHex(node.sign(message)));
      expect(toHex(nobleCrypto.sha256(message))).toBe(toHex(nodeCrypto.sha256(message)));
    }),
    { numRuns: 60 },
  );
});

test('both implementations accept and refuse the same, whatever was changed', () => {
  const damage = fc.record({
    what: fc.constantFrom('key', 'message', 'signature', 'nothing'),
    at: fc.nat({ max: 63 }),
    mask: fc.integer({ min: 1, max: 255 }),
  });
  fc.assert(
    fc.property(seeds, messages, damage, (seed, message, { what, at, mask }) => {
      const signer = nodeSigner(seed);
      const parts = { key: signer.publicKey, message, signature: signer.sign(message), nothing: new Uint8Array(0) };
      const hit = parts[what];
      const changed = at < hit.length;
      if (changed) hit[at] = (hit[at] ?? 0) ^ mask;
      const byNoble = nobleCrypto.verify(parts.key, parts.message, parts.signature);
      expect(nodeCrypto.verify(parts.key, parts.message, parts.signature)).toBe(byNoble);
      expect(byNoble).toBe(!changed);
    }),
    { numRuns: 120 },
  );
});
