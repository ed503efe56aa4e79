import { describe, expect, test } from 'vitest';
import * as fc from 'fast-check';
import { concat, equalBytes, toHex, utf8 } from '../../src/base/bytes.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import {
  consistencyProof,
  inclusionProof,
  verifyConsistency,
  verifyInclusion,
  type LeafAt,
} from '../../src/trust/merkle-proof.ts';
import {
  appendLeaf,
  EMPTY_RANGE,
  leafHash,
  nodeHash,
  rangeFromJson,
  rangeRoot,
  rangeToJson,
  type MerkleRange,
} from '../../src/trust/merkle.ts';

/**
 * Goal: the compact range and both kinds of proof are those of RFC 6962.
 * Method: a second path, the recursive definition of the RFC over the entries themselves; then damage to what is proved.
 */
const { sha256 } = nodeCrypto;
const entryAt = (index: number): Uint8Array => utf8(`entry ${index}`);
const leafAt: LeafAt = (index) => leafHash(sha256, entryAt(index));

/** MTH of RFC 6962 §2.1, as it stands there. */
function definedRoot(entries: readonly Uint8Array[]): Uint8Array {
  const [only] = entries;
  if (only === undefined) return sha256(new Uint8Array(0));
  if (entries.length === 1) return sha256(concat(Uint8Array.of(0), only));
  let k = 1;
  while (k * 2 < entries.length) k *= 2;
  return sha256(concat(Uint8Array.of(1), definedRoot(entries.slice(0, k)), definedRoot(entries.slice(k))));
}

const rootOf = (size: number): Uint8Array => definedRoot(Array.from({ length: size }, (_, i) => entryAt(i)));

function rangeOf(size: number): MerkleRange {
  let range = EMPTY_RANGE;
  for (let i = 0; i < size; i += 1) range = appendLeaf(sha256, range, leafAt(i));
  return range;
}

const sizes = fc.integer({ min: 1, max: 130 });
const damaged = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((b, i) => (i === at % bytes.length ? b ^ 1 : b));

describe('the compact range', () => {
  test('has the root of the recursive definition at every size', () => {
    let range = EMPTY_RANGE;
    for (let size = 0; size <= 130; size += 1) {
      expect(toHex(rangeRoot(sha256, range))).toBe(toHex(rootOf(size)));
      range = appendLeaf(sha256, range, leafAt(size));
    }
  });

  test('goes to JSON and back, and goes on from there', () => {
    fc.assert(
      fc.property(fc.nat({ max: 70 }), fc.nat({ max: 20 }), (size, more) => {
        const read = rangeFromJson(rangeToJson(rangeOf(size)));
        expect(read.ok).toBe(true);
        let range = read.ok ? read.value : EMPTY_RANGE;
        for (let i = 0; i < more; i += 1) range = appendLeaf(sha256, range, leafAt(size + i));
        expect(range).toEqual(rangeOf(size + more));
      }),
    );
  });

  test('refuses JSON with more or fewer subtrees than its size has', () => {
    const hash = 'ab'.repeat(32);
    for (const json of [
      { size: 3, roots: [hash] },
      { size: 4, roots: [hash, hash] },
      { size: 0, roots: [hash] },
    ]) {
      expect(rangeFromJson(json).ok).toBe(false);
    }
    for (const json of [
      { size: -1, roots: [] },
      { size: 1, roots: ['ab'] },
      { size: 1, roots: [hash.toUpperCase()] },
      [],
    ]) {
      expect(rangeFromJson(json).ok).toBe(false);
    }
  });

  test('does not change the range it is given', () => {
    const before = rangeOf(3);
    appendLeaf(sha256, before, leafAt(3));
    expect(before).toEqual(rangeOf(3));
  });
});

describe('[T21] inclusion proofs', () => {
  test('prove every entry of every small tree', () => {
    for (let size = 1; size <= 33; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionProof(sha256, leafAt, index, size);
        expect(verifyInclusion(sha256, { leaf: leafAt(index), index, size, root: rootOf(size), proof })).toBe(true);
      }
    }
  });

  test('prove nothing else: another leaf, place, size, root, or a changed, cut or longer proof', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, at, noise) => {
        const index = at % size;
        const proof = inclusionProof(sha256, leafAt, index, size);
        const claim = { leaf: leafAt(index), index, size, root: rootOf(size), proof };
        const lies = [
          { ...claim, leaf: leafAt(index + 1) },
          { ...claim, index: index + 1 },
          { ...claim, index: size },
          { ...claim, index: -1 },
          { ...claim, index: index + 0.5 },
          { ...claim, root: damaged(claim.root, noise) },
          { ...claim, root: rootOf(size + 1) },
          { ...claim, proof: [...proof, claim.root] },
          ...(proof.length === 0
            ? []
            : [
                { ...claim, proof: proof.slice(1) },
                { ...claim, proof: proof.slice(0, -1) },
              ]),
          ...proof.map((hash, i) => ({ ...claim, proof: proof.with(i, damaged(hash, noise)) })),
          ...proof.map((hash, i) => ({ ...claim, proof: proof.with(i, hash.subarray(1)) })),
        ];
        for (const lie of lies) expect(verifyInclusion(sha256, lie)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

describe('[T9] consistency proofs', () => {
  test('link every pair of small trees', () => {
    for (let newSize = 0; newSize <= 33; newSize += 1) {
      for (let oldSize = 0; oldSize <= newSize; oldSize += 1) {
        const proof = consistencyProof(sha256, leafAt, oldSize, newSize);
        const claim = { oldSize, oldRoot: rootOf(oldSize), newSize, newRoot: rootOf(newSize), proof };
        expect(verifyConsistency(sha256, claim), `${oldSize} → ${newSize}`).toBe(true);
      }
    }
  });

  test('refuse a log that was rewritten before the old size', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (a, b, at) => {
        const [oldSize, newSize] = [Math.min(a, b), Math.max(a, b) + 1];
        const changed = at % oldSize;
        const forged: LeafAt = (index) => (index === changed ? leafHash(sha256, utf8('forged')) : leafAt(index));
        let range = EMPTY_RANGE;
        for (let i = 0; i < newSize; i += 1) range = appendLeaf(sha256, range, forged(i));
        const proof = consistencyProof(sha256, forged, oldSize, newSize);
        const claim = { oldSize, oldRoot: rootOf(oldSize), newSize, newRoot: rangeRoot(sha256, range), proof };
        expect(verifyConsistency(sha256, claim)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('prove nothing else: other sizes, roots, or a changed, cut or longer proof', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (a, b, noise) => {
        const [oldSize, newSize] = [Math.min(a, b), Math.max(a, b) + 1];
        const proof = consistencyProof(sha256, leafAt, oldSize, newSize);
        const claim = { oldSize, oldRoot: rootOf(oldSize), newSize, newRoot: rootOf(newSize), proof };
        const lies = [
          { ...claim, oldRoot: damaged(claim.oldRoot, noise) },
          { ...claim, newRoot: damaged(claim.newRoot, noise) },
          { ...claim, oldSize: newSize + 1 },
          { ...claim, oldSize: 0 },
          { ...claim, oldSize: newSize, proof: [] },
          { ...claim, proof: [...proof, claim.newRoot] },
          { ...claim, proof: proof.slice(1) },
          { ...claim, proof: proof.slice(0, -1) },
          ...proof.map((hash, i) => ({ ...claim, proof: proof.with(i, damaged(hash, noise)) })),
        ];
        for (const lie of lies) expect(verifyConsistency(sha256, lie)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

test('[T21] a proof longer than its tree is deep proves nothing', () => {
  const proof = inclusionProof(sha256, leafAt, 3, 4);
  expect(verifyInclusion(sha256, { leaf: leafAt(3), index: 0, size: 1, root: rootOf(4), proof })).toBe(false);
});

test('[T21] an inner node passes neither for an entry nor for a leaf', () => {
  expect(equalBytes(leafHash(sha256, concat(leafAt(0), leafAt(1))), rootOf(2))).toBe(false);
  const right = nodeHash(sha256, leafAt(2), leafAt(3));
  const claim = { leaf: rootOf(2), index: 0, size: 4, root: rootOf(4), proof: [right] };
  expect(verifyInclusion(sha256, claim)).toBe(false);
  expect(verifyInclusion(sha256, { ...claim, size: 2 })).toBe(true);
});
