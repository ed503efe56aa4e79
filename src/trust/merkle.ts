import { concat, fromHex, toHex } from '../base/bytes.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Json } from '../base/canonical-json.ts';
import type { Sha256 } from '../crypto/ports.ts';
import { list, parsed, read, record, whole } from '../base/shape.ts';

/**
 * The Merkle tree of RFC 6962 over audit entries, kept as a compact range: the roots of the perfect subtrees that
 * cover the log, largest first. That is all appending and the root need: at most 53 hashes.
 */
export interface MerkleRange {
  readonly size: number;
  readonly roots: readonly Uint8Array[];
}

export const EMPTY_RANGE: MerkleRange = { size: 0, roots: [] };

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export function leafHash(sha256: Sha256, entryBytes: Uint8Array): Uint8Array {
  return sha256(concat(LEAF, entryBytes));
}

export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concat(NODE, left, right));
}

/** The root of a tree without leaves. */
export function emptyRoot(sha256: Sha256): Uint8Array {
  return sha256(new Uint8Array(0));
}

export function appendLeaf(sha256: Sha256, range: MerkleRange, leaf: Uint8Array): MerkleRange {
  const roots = [...range.roots];
  let carried = leaf;
  // As in adding one to a binary number: every trailing 1 is a full subtree that merges with the new one.
  for (let rest = range.size; rest % 2 === 1; rest = (rest - 1) / 2) {
    const left = roots.pop();
    if (left !== undefined) carried = nodeHash(sha256, left, carried);
  }
  return { size: range.size + 1, roots: [...roots, carried] };
}

export function rangeRoot(sha256: Sha256, range: MerkleRange): Uint8Array {
  const [last, ...larger] = range.roots.toReversed();
  if (last === undefined) return emptyRoot(sha256);
  return larger.reduce((right, left) => nodeHash(sha256, left, right), last);
}

export function rangeToJson(range: MerkleRange): Json {
  return { size: range.size, roots: range.roots.map(toHex) };
}

export function rangeFromJson(value: Json): Result<MerkleRange> {
  const result = read(rangeShape, value);
  if (result.ok && result.value.roots.length !== onesIn(result.value.size))
    return err(`A range of ${result.value.size} leaves has ${onesIn(result.value.size)} subtrees.`);
  return result;
}

/** Half of the tree as RFC 6962 splits it: the largest power of two below `size`, which is 2 or more. */
export function splitPoint(size: number): number {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
}

const hash = parsed((value): Result<Uint8Array> => {
  const bytes = typeof value === 'string' && value.length === 64 ? fromHex(value) : undefined;
  return bytes === undefined ? err('A hash is 64 lower-case hexadecimal digits.') : ok(bytes);
});
const rangeShape = record({ size: whole(0), roots: list(hash, { max: 53 }) });

function onesIn(size: number): number {
  let ones = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) ones += rest % 2;
  return ones;
}
