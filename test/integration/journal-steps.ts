import { utf8 } from '../../src/base/bytes.ts';
import type { JournalBatch } from '../../src/authority/ports.ts';
import { batchOf, blobOf, recordOf, rowsAfter, type End } from '../contract/journal-rows.ts';

/** Keys in use: each is written again and again, so that records are replaced, settled and dropped. */
const KEYS = 20;

/** The next step of the one history that a writer and its judge both know: it depends on the row's number only. */
export function stepOf(end: End): { readonly seq: number; readonly batch: JournalBatch } {
  const seq = end.seq + 1;
  const rows = rowsAfter(end, [{ actionSeq: (seq % KEYS) + 1, bytes: seq % 700 }]);
  const puts = [recordOf(`k${seq % KEYS}`, { order: seq, live: seq % 3 !== 0, value: utf8(`value ${seq}`) })];
  const drops = seq % 5 === 0 ? [{ table: 'action', key: `k${(seq + 7) % KEYS}` } as const] : [];
  return { seq, batch: batchOf({ rows, puts, drops, blobs: [blobOf(utf8(`blob ${seq}`))] }) };
}
