import type { Journal, JournalBatch } from '../../src/authority/ports.ts';

/** The journal with its `commit` in other hands. */
export function overJournal(
  inner: Journal,
  commit: (batch: JournalBatch, store: (batch: JournalBatch) => Promise<void>) => Promise<void>,
): Journal {
  return {
    health: inner.health,
    durable: inner.durable,
    head: () => inner.head(),
    rows: (from, limit) => inner.rows(from, limit),
    rowsOf: (seq, limit) => inner.rowsOf(seq, limit),
    record: (table, key) => inner.record(table, key),
    liveRecords: (table) => inner.liveRecords(table),
    recordsBefore: (table, order, limit) => inner.recordsBefore(table, order, limit),
    blob: (hash) => inner.blob(hash),
    close: () => inner.close(),
    commit: (batch) => commit(batch, (all) => inner.commit(all)),
  };
}
