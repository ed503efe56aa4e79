import type { Database } from 'better-sqlite3';
import { CountersignError } from '../../base/errors.ts';
import type { Journal, JournalHealth } from '../../authority/ports.ts';
import { EMPTY_HEAD } from '../chain.ts';
import type { Reads } from './reads.ts';

/** What a journal answers that is only read: beside a running writer, or in quarantine. */
export interface UnwritableParts {
  readonly health: JournalHealth;
  /** `undefined` when the database cannot be read at all: then the journal answers as if it were empty. */
  readonly source: { readonly database: Database; readonly reads: Reads } | undefined;
}

export function unwritableJournal({ health, source }: UnwritableParts): Journal {
  let open = true;
  const read = <T>(look: (reads: Reads) => T, empty: T): T => {
    if (!open) throw new CountersignError('closed', 'The journal is closed.');
    return source === undefined ? empty : look(source.reads);
  };
  return {
    health,
    durable: true,
    head: () => read((reads) => reads.head(), EMPTY_HEAD),
    commit: () => Promise.reject(refusal(health)),
    rows: (fromSeq, limit) => read((reads) => reads.rows(fromSeq, limit), []),
    rowsOf: (actionSeq, limit) => read((reads) => reads.rowsOf(actionSeq, limit), []),
    record: (table, key) => read((reads) => reads.record(table, key), undefined),
    liveRecords: (table) => read((reads) => reads.liveRecords(table), []),
    recordsBefore: (table, order, limit) => read((reads) => reads.recordsBefore(table, order, limit), []),
    blob: (hash) => read((reads) => reads.blob(hash), undefined),
    close: () => {
      open = false;
      source?.database.close();
      return Promise.resolve();
    },
  };
}

function refusal(health: JournalHealth): CountersignError {
  return health.state === 'quarantined'
    ? new CountersignError('quarantined', `The journal is in quarantine: ${health.why}`)
    : new CountersignError('denied', 'The journal was opened for reading only.');
}
