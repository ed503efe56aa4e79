import { equalBytes } from '../base/bytes.ts';
import { assert } from '../base/assert.ts';
import type { Sha256 } from '../crypto/ports.ts';
import { emptyRoot, nodeHash, splitPoint } from './merkle.ts';

/** The hash of leaf `index`, from 0. */
export type LeafAt = (index: number) => Uint8Array;

export type MerkleProof = readonly Uint8Array[];

/** Hashes in a proof, at most: two sides of a tree as deep as its size has bits. More is refused unread. */
const PROOF_MAX = 2 * 53;

/** The siblings from leaf `index` up to the root of the first `size` leaves (RFC 6962 §2.1.1). Reads every leaf. */
export function inclusionProof(sha256: Sha256, leafAt: LeafAt, index: number, size: number): MerkleProof {
  assert(index >= 0 && index < size, `no leaf ${index} in a tree of ${size}`);
  return path(sha256, leafAt, index, { from: 0, size });
}

export function verifyInclusion(
  sha256: Sha256,
  claim: {
    readonly leaf: Uint8Array;
    readonly index: number;
    readonly size: number;
    readonly root: Uint8Array;
    readonly proof: MerkleProof;
  },
): boolean {
  const { index, size, proof } = claim;
  if (!isWhole(index) || !isWhole(size) || index >= size || !isProof(proof)) return false;
  let node = index;
  let last = size - 1;
  let hash = claim.leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sha256, sibling, hash);
      // A node without a right sibling rises unchanged until it is one.
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      hash = nodeHash(sha256, hash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalBytes(hash, claim.root);
}

/** What shows that the tree of `newSize` leaves began as the tree of `oldSize` (RFC 6962 §2.1.2). Reads every leaf. */
export function consistencyProof(sha256: Sha256, leafAt: LeafAt, oldSize: number, newSize: number): MerkleProof {
  assert(oldSize >= 0 && oldSize <= newSize, `a tree of ${newSize} never had ${oldSize} leaves`);
  if (oldSize === 0 || oldSize === newSize) return [];
  return subproof(sha256, leafAt, oldSize, { from: 0, size: newSize, whole: true });
}

export function verifyConsistency(
  sha256: Sha256,
  claim: {
    readonly oldSize: number;
    readonly oldRoot: Uint8Array;
    readonly newSize: number;
    readonly newRoot: Uint8Array;
    readonly proof: MerkleProof;
  },
): boolean {
  const { oldSize, oldRoot, newSize, newRoot, proof } = claim;
  if (!isWhole(oldSize) || !isWhole(newSize) || oldSize > newSize || !isProof(proof)) return false;
  if (oldSize === newSize) return proof.length === 0 && equalBytes(oldRoot, newRoot);
  if (oldSize === 0) return proof.length === 0 && equalBytes(oldRoot, emptyRoot(sha256));
  let node = oldSize - 1;
  let last = newSize - 1;
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // Where the old tree is one perfect subtree, its root is the start and is not repeated in the proof.
  const [start, ...rest] = node === 0 ? [oldRoot, ...proof] : proof;
  if (start === undefined) return false;
  let oldHash = start;
  let newHash = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      oldHash = nodeHash(sha256, sibling, oldHash);
      newHash = nodeHash(sha256, sibling, newHash);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else {
      newHash = nodeHash(sha256, newHash, sibling);
    }
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equalBytes(oldHash, oldRoot) && equalBytes(newHash, newRoot);
}

interface Subtree {
  readonly from: number;
  readonly size: number;
}

function subtreeRoot(sha256: Sha256, leafAt: LeafAt, { from, size }: Subtree): Uint8Array {
  if (size === 1) return leafAt(from);
  const left = splitPoint(size);
  return nodeHash(
    sha256,
    subtreeRoot(sha256, leafAt, { from, size: left }),
    subtreeRoot(sha256, leafAt, { from: from + left, size: size - left }),
  );
}

function path(sha256: Sha256, leafAt: LeafAt, index: number, tree: Subtree): Uint8Array[] {
  if (tree.size === 1) return [];
  const size = splitPoint(tree.size);
  const left: Subtree = { from: tree.from, size };
  const right: Subtree = { from: tree.from + size, size: tree.size - size };
  return index < size
    ? [...path(sha256, leafAt, index, left), subtreeRoot(sha256, leafAt, right)]
    : [...path(sha256, leafAt, index - size, right), subtreeRoot(sha256, leafAt, left)];
}

/** `whole`: the old tree is this subtree from its first leaf, so that whoever checks already holds its root. */
function subproof(
  sha256: Sha256,
  leafAt: LeafAt,
  oldSize: number,
  tree: Subtree & { readonly whole: boolean },
): Uint8Array[] {
  if (oldSize === tree.size) return tree.whole ? [] : [subtreeRoot(sha256, leafAt, tree)];
  const size = splitPoint(tree.size);
  const left: Subtree = { from: tree.from, size };
  const right: Subtree = { from: tree.from + size, size: tree.size - size };
  return oldSize <= size
    ? [...subproof(sha256, leafAt, oldSize, { ...left, whole: tree.whole }), subtreeRoot(sha256, leafAt, right)]
    : [...subproof(sha256, leafAt, oldSize - size, { ...right, whole: false }), subtreeRoot(sha256, leafAt, left)];
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function isProof(proof: MerkleProof): boolean {
  return proof.length <= PROOF_MAX && proof.every((hash) => hash.length === 32);
}

function half(value: number): number {
  return Math.floor(value / 2);
}
