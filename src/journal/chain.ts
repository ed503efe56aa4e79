import { assert } from '../base/assert.ts';
import { concat, equalBytes, toHex, utf8 } from '../base/bytes.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { JournalBatch } from '../authority/ports.ts';
import type { JournalRow } from '../model/event.ts';

/** Where a journal ends: the newest row and the chain root after it. */
export interface ChainHead {
  readonly seq: number;
  readonly root: Uint8Array;
}

export const HASH_BYTES = 32;

/** Before the first row: seq 0, 32 zero bytes. */
export const EMPTY_HEAD: ChainHead = { seq: 0, root: new Uint8Array(HASH_BYTES) };

const DOMAIN = utf8('countersign audit|1\n');

/** Every reading of many takes a limit, so that no caller reads a history by accident. */
export function assertLimit(limit: number): void {
  assert(Number.isSafeInteger(limit) && limit >= 0, 'a limit is a whole number');
}

/** The chain root after an audit entry: SHA-256 of domain, previous root, entry. */
export function chainRoot(sha256: Sha256, previous: Uint8Array, audit: Uint8Array): Uint8Array {
  return sha256(concat(DOMAIN, previous, audit));
}

/** Why a row does not continue `head`; `undefined` when it does. */
export function breakAt(sha256: Sha256, head: ChainHead, row: JournalRow): string | undefined {
  if (row.seq !== head.seq + 1) return `row ${row.seq} follows row ${head.seq}`;
  if (!equalBytes(row.eventHash, sha256(row.event))) return `the event of row ${row.seq} does not match its hash`;
  if (!equalBytes(row.root, chainRoot(sha256, head.root, row.audit)))
    return `the root of row ${row.seq} does not chain`;
  return undefined;
}

/**
 * The head after a batch.
 *
 * Throws: `InvariantError` when a row does not continue `head` or a blob is not what its hash says.
 */
export function headAfter(sha256: Sha256, head: ChainHead, batch: JournalBatch): ChainHead {
  let after = head;
  for (const row of batch.rows) {
    const broken = breakAt(sha256, after, row);
    assert(broken === undefined, `a batch must continue the journal, but ${broken}`);
    after = { seq: row.seq, root: row.root };
  }
  for (const blob of batch.blobs)
    assert(toHex(sha256(blob.bytes)) === blob.hash, `the bytes of blob ${blob.hash} have another hash`);
  return after;
}
