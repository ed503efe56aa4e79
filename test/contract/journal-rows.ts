import { createHash } from 'node:crypto';
import { toHex, utf8 } from '../../src/base/bytes.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { EventKind, JournalRow } from '../../src/model/event.ts';
import type { JournalBatch, JournalRecord, RecordTable } from '../../src/authority/ports.ts';

export interface End {
  readonly seq: number;
  readonly root: Uint8Array;
}

export interface RowSpec {
  readonly kind?: EventKind;
  readonly actionSeq?: number;
  readonly attempt?: number;
  readonly bytes?: number;
}

/** Deliberately not the journal's own function: the chain formula of the spec, written a second time. */
function rowAfter(end: End, spec: RowSpec = {}): JournalRow {
  const seq = end.seq + 1;
  const event = utf8(JSON.stringify({ seq, pad: 'x'.repeat(spec.bytes ?? 20) }));
  const audit = utf8(JSON.stringify({ seq, event: hashOf(event) }));
  return {
    seq,
    atMs: 1_700_000_000_000 + seq,
    kind: spec.kind ?? 'proposed',
    actionSeq: spec.actionSeq ?? 0,
    attempt: spec.attempt ?? 0,
    event,
    audit,
    eventHash: sha256(event),
    root: sha256(Buffer.concat([Buffer.from('countersign audit|1\n'), end.root, audit])),
  };
}

export function rowsAfter(end: End, specs: readonly RowSpec[]): readonly JournalRow[] {
  const rows: JournalRow[] = [];
  for (const spec of specs) rows.push(rowAfter(rows.at(-1) ?? end, spec));
  return rows;
}

export function batchOf(parts: Partial<JournalBatch>): JournalBatch {
  return { rows: [], puts: [], drops: [], blobs: [], ...parts };
}

/** A batch of rows only. */
export function stepAfter(end: End, ...specs: readonly RowSpec[]): JournalBatch {
  return batchOf({ rows: rowsAfter(end, specs.length === 0 ? [{}] : specs) });
}

export function endOf(batch: JournalBatch, before: End): End {
  return batch.rows.at(-1) ?? before;
}

export function recordOf(key: string, parts: Partial<JournalRecord> = {}): JournalRecord {
  const table: RecordTable = parts.table ?? 'action';
  return { key, order: 1, live: true, value: utf8(`{"of":"${key}"}`), ...parts, table };
}

export function blobOf(bytes: Uint8Array): { readonly hash: Digest; readonly bytes: Uint8Array } {
  return { hash: hashOf(bytes) as Digest, bytes }; // reason: a SHA-256 in hexadecimal
}

export const START: End = { seq: 0, root: new Uint8Array(32) };

export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(bytes).digest());
}

function hashOf(bytes: Uint8Array): string {
  return toHex(sha256(bytes));
}
