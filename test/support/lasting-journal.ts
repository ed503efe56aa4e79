import type { Journal } from '../../src/authority/ports.ts';
import { memoryJournal } from '../../src/testing/index.ts';

/** A journal in memory that outlives its authority: closing it is like closing a file. */
export function lastingJournal(): Journal {
  const inner = memoryJournal();
  return {
    health: inner.health,
    durable: inner.durable,
    head: () => inner.head(),
    commit: (batch) => inner.commit(batch),
    rows: (fromSeq, limit) => inner.rows(fromSeq, limit),
    rowsOf: (actionSeq, limit) => inner.rowsOf(actionSeq, limit),
    record: (table, key) => inner.record(table, key),
    liveRecords: (table) => inner.liveRecords(table),
    recordsBefore: (table, order, limit) => inner.recordsBefore(table, order, limit),
    blob: (hash) => inner.blob(hash),
    close: async () => undefined,
  };
}
