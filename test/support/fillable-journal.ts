import { CountersignError } from '../../src/base/errors.ts';
import type { Journal, JournalBatch } from '../../src/authority/ports.ts';
import { memoryJournal } from '../../src/testing/index.ts';

/** A journal on a disk that can be full: what is not urgent is refused, and nothing of it is stored. */
export interface Fillable {
  readonly journal: Journal;
  full: 'no' | 'reserve' | 'all';
}

export function fillable(): Fillable {
  const inner = memoryJournal();
  const disk: Fillable = {
    full: 'no',
    journal: {
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
      commit: (batch: JournalBatch) => {
        const refused = disk.full === 'all' || (disk.full === 'reserve' && batch.urgent !== true);
        return refused ? Promise.reject(new CountersignError('full', 'The disk is full.')) : inner.commit(batch);
      },
    },
  };
  return disk;
}
