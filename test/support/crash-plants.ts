import type { Journal } from '../../src/authority/ports.ts';
import { nodeDisk, type DiskFile } from '../../src/journal/sqlite/disk.ts';
import type { SqliteJournalPorts } from '../../src/journal/sqlite/open.ts';

/**
 * Bugs that are planted on purpose, in a child of the proofs only, to see the proofs find them.
 * `early`: what is committed counts as durable at once, so effects and answers come before it is.
 * `deaf`: an error of an fsync goes unheard. `no-witness`: the head log is never written. `blind-retry`: what is blind is
 * asked for again after a crash, as if it had a key.
 */
export const PLANTS = ['early', 'deaf', 'no-witness', 'blind-retry'] as const;
export type Plant = (typeof PLANTS)[number];

export function planted(plant: Plant | undefined): {
  readonly ports?: SqliteJournalPorts;
  readonly wrap?: (journal: Journal) => Journal;
} {
  switch (plant) {
    case undefined:
    case 'blind-retry':
      return {};
    case 'early':
      return { wrap: early };
    case 'deaf':
      return { ports: { disk: diskWith((file) => ({ ...file, sync: () => unheard(() => file.sync()) })) } };
    case 'no-witness':
      return { ports: { disk: diskWith((file, path) => (path.endsWith('/head.log') ? blankOnly(file) : file)) } };
  }
}

/** Reads and answers at once, while the storing is still to come. */
function early(journal: Journal): Journal {
  return {
    health: journal.health,
    durable: journal.durable,
    head: () => journal.head(),
    rows: (from, limit) => journal.rows(from, limit),
    rowsOf: (seq, limit) => journal.rowsOf(seq, limit),
    record: (table, key) => journal.record(table, key),
    liveRecords: (table) => journal.liveRecords(table),
    recordsBefore: (table, order, limit) => journal.recordsBefore(table, order, limit),
    blob: (hash) => journal.blob(hash),
    close: () => journal.close(),
    commit: async (batch) => void journal.commit(batch).catch(() => undefined),
  };
}

function diskWith(change: (file: DiskFile, path: string) => DiskFile): typeof nodeDisk {
  return { ...nodeDisk, open: (path, mode) => change(nodeDisk.open(path, mode), path) };
}

/** Takes the space that is written ahead, and no record. */
function blankOnly(file: DiskFile): DiskFile {
  return {
    ...file,
    write: (bytes, position) => {
      if (bytes.every((byte) => byte === 0)) file.write(bytes, position);
    },
  };
}

function unheard(run: () => void): void {
  try {
    run();
  } catch {
    // The planted bug.
  }
}
