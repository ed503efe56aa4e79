import type { Database } from 'better-sqlite3';
import { codeOf } from './sqlite-schema.ts';

/** Moves the WAL into the database. A full disk only puts that off, since the changes are safe in the WAL. */
export function checkpoint(database: Database): void {
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch (thrown) {
    if (codeOf(thrown) !== 'SQLITE_FULL') throw thrown;
  }
}

/**
 * SQLite makes a checkpoint of its own when it is closed, and does not say when that fails (EF-5): ours comes first, and
 * leaves it nothing to do. After an error the connection stays open until the thread ends: closing it would sync again.
 */
export function closeDatabase(database: Database): void {
  checkpoint(database);
  database.close();
}
