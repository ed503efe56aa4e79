import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { CountersignError, messageOf } from '../../src/base/errors.ts';

/** `CSRy`: a database of a relay, and of nothing else. */
const APPLICATION_ID = 0x43535279;
const SCHEMA_VERSION = 1;
/** SQLite's `synchronous=FULL`: every commit waits for the disk. */
const SYNCHRONOUS_FULL = 2;
/** Bytes up to which every page is looked at when the store is opened: a second of reading. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;

const SCHEMA = `
CREATE TABLE rooms (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, owner TEXT NOT NULL) STRICT;
CREATE TABLE updates (
  room INTEGER NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (room, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE heads (
  home TEXT PRIMARY KEY, number INTEGER NOT NULL, home_key TEXT NOT NULL, admitted_by TEXT, signed TEXT NOT NULL
) STRICT;
CREATE TABLE objects (path TEXT PRIMARY KEY, owner TEXT NOT NULL, bytes BLOB NOT NULL, crc INTEGER NOT NULL) STRICT;
`;

/**
 * The one connection to the relay's database in this folder, which is made when it is missing.
 *
 * Throws: `held-elsewhere` when another relay has it open; `too-new`; `full`; `storage` when it is damaged, cannot be
 * read, or when SQLite does not confirm that commits wait for the disk.
 */
export function openDatabase(folder: string): Database {
  const path = join(folder, 'relay.db');
  let database: Database | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    database = new Sqlite(path, { timeout: 0 });
    chmodSync(path, 0o600);
    prepare(database, path);
    // The WAL is there by now. SQLite syncs the folder of a new file, too, and does not say when that fails (EF-5).
    syncFolder(folder);
    return database;
  } catch (thrown) {
    database?.close();
    throw openingError(thrown, folder);
  }
}

function prepare(database: Database, path: string): void {
  database.pragma('locking_mode = EXCLUSIVE');
  database.pragma('cell_size_check = ON');
  database.pragma('trusted_schema = OFF');
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  // On macOS a plain fsync leaves the bytes in the drive's cache.
  database.pragma('fullfsync = ON');
  // SQLite swallows the errors of its own checkpoints; the thread makes them itself.
  database.pragma('wal_autocheckpoint = 0');
  const mode = database.pragma('journal_mode', { simple: true });
  const synchronous = database.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== SYNCHRONOUS_FULL)
    throw damaged(`SQLite answered journal_mode ${String(mode)} and synchronous ${String(synchronous)}.`);
  // The first transaction takes the lock that is held until the end.
  database.exec('BEGIN EXCLUSIVE');
  migrate(database);
  database.exec('COMMIT');
  const found = statSync(path).size <= CHECKED_BYTES_MAX ? database.pragma('quick_check(1)', { simple: true }) : 'ok';
  if (found !== 'ok') throw damaged(`SQLite says: ${String(found)}.`);
}

function migrate(database: Database): void {
  const id = database.pragma('application_id', { simple: true });
  const version = Number(database.pragma('user_version', { simple: true }));
  const empty = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0;
  if (id === 0 && version === 0 && empty) {
    database.exec(SCHEMA);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma(`user_version = ${SCHEMA_VERSION}`);
  } else if (id !== APPLICATION_ID) throw damaged('It is no database of a relay.');
  else if (version > SCHEMA_VERSION)
    throw new CountersignError('too-new', `The relay's store was written by a newer version (${version}); update.`);
}

function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function damaged(why: string): CountersignError {
  return new CountersignError('storage', why, { effect: 'none' });
}

/** What opening throws, as one sentence that says what to do: homes and devices can fill an empty relay again. */
function openingError(thrown: unknown, folder: string): CountersignError {
  if (CountersignError.is(thrown) && thrown.code !== 'storage') return thrown;
  const code = codeOf(thrown) ?? '';
  const options = { cause: thrown, effect: 'none' } as const;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return new CountersignError('held-elsewhere', `Another relay has the store in ${folder} open.`, options);
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL)$/.test(code))
    return new CountersignError('full', `The disk has no room for the relay's store in ${folder}.`, options);
  if (/^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|SQLITE_(CANTOPEN|PERM|READONLY|AUTH))/.test(code))
    return new CountersignError(
      'denied',
      `The relay may not write its store in ${folder}: ${messageOf(thrown)}.`,
      options,
    );
  const why = messageOf(thrown).replace(/\s+/g, ' ').replace(/\.$/, '');
  return new CountersignError(
    'storage',
    `The relay's store in ${folder} is damaged (${why}); move it away and start again: homes and devices send what they have.`,
    options,
  );
}

/** The code of an error of SQLite or of the file system. */
export function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
