import Sqlite, { type Database, type Options } from 'better-sqlite3';
import { CountersignError, messageOf } from '../../base/errors.ts';
import { codeOf } from './disk.ts';
import { BUSY_MS } from './limits.ts';

export type OpenDatabase = (path: string, options: Options) => Database;

export const nodeDatabase: OpenDatabase = (path, options) => new Sqlite(path, options);

/** SQLite's `synchronous=FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2;

/** A connection that changes neither the database nor its WAL, not even when it is closed. */
export function openReader(open: OpenDatabase, path: string): Database {
  const database = open(path, { readonly: true, fileMustExist: true, timeout: BUSY_MS });
  database.pragma('cell_size_check = ON');
  database.pragma('trusted_schema = OFF');
  return database;
}

/**
 * The writing connection.
 *
 * Throws: `storage` when SQLite does not confirm that commits wait for the disk; nothing was stored then.
 */
export function openWriter(open: OpenDatabase, path: string): Database {
  const database = open(path, { timeout: BUSY_MS });
  database.pragma('cell_size_check = ON');
  database.pragma('trusted_schema = OFF');
  database.pragma('foreign_keys = OFF');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  // On macOS a plain fsync leaves the bytes in the drive's cache.
  database.pragma('fullfsync = ON');
  // SQLite swallows the errors of its own checkpoints; ours may not fail unseen (EF-5).
  database.pragma('wal_autocheckpoint = 0');
  const mode = database.pragma('journal_mode', { simple: true });
  const synchronous = database.pragma('synchronous', { simple: true });
  if (mode === 'wal' && synchronous === SYNCHRONOUS_FULL) return database;
  database.close();
  throw new CountersignError(
    'storage',
    `SQLite answered journal_mode ${String(mode)} and synchronous ${String(synchronous)} where wal and 2 were asked.`,
    { effect: 'none' },
  );
}

/** Moves the WAL into the database file once it holds `pagesMin` pages that are not there yet. */
export function checkpoint(database: Database, pagesMin: number): void {
  if (backlogPages(database) < pagesMin) return;
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } catch (cause) {
    // A full disk only puts the checkpoint off: the rows are safe in the WAL.
    if (codeOf(cause) !== 'SQLITE_FULL') throw cause;
  }
}

function backlogPages(database: Database): number {
  // reason: the one row this pragma answers
  const [state] = database.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }];
  return state.log - state.checkpointed;
}

/** Errors that say something of the process or the disk at this moment, and nothing of the file's contents. */
const ENVIRONMENT = /^SQLITE_(IOERR|BUSY|LOCKED|CANTOPEN|PERM|READONLY|AUTH|NOMEM|FULL|INTERRUPT|PROTOCOL)/;

/** True when the thrown error means that the database file is not what we wrote. */
export function saysDamaged(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code !== undefined && code.startsWith('SQLITE_') && !ENVIRONMENT.test(code);
}

/** What opening throws for an error of the file system or of SQLite: nothing was stored. */
export function openingError(thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (CountersignError.is(thrown) || code === undefined) return thrown;
  const why = `The journal cannot be opened: ${messageOf(thrown)}.`;
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code)) return new CountersignError('full', why, { cause: thrown });
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return new CountersignError('busy', why, { cause: thrown });
  if (/^(EACCES|EPERM|EROFS|SQLITE_(CANTOPEN|PERM|READONLY|AUTH))/.test(code))
    return new CountersignError('denied', why, { cause: thrown });
  return new CountersignError('storage', why, { cause: thrown, effect: 'none' });
}
