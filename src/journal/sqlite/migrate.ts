import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { assert } from '../../base/assert.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Disk } from './disk.ts';
import { DATABASE_FILE } from './inspect.ts';
import { APPLICATION_ID, versionOf, type Schema } from './schema.ts';

/** Where the database of an older version is kept when it is brought up to date. */
export function backupFile(version: number): string {
  return `journal.v${version}.backup.db`;
}

/** Makes the tables of an empty database, all or none. */
export function createTables(database: Database, schema: Schema): void {
  database
    .transaction(() => {
      database.exec(schema.ddl);
      stamp(database, schema.version);
    })
    .immediate();
}

/**
 * Brings a database to the present version in one transaction, after a durable copy of it was made beside it.
 *
 * Throws: `quarantined` when the old database is damaged; it is left as it was then.
 */
export function migrate(database: Database, schema: Schema, { disk, folder }: { disk: Disk; folder: string }): void {
  const integrity = String(database.pragma('integrity_check', { simple: true }));
  if (integrity !== 'ok') throw damagedBefore(folder, integrity);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const from = versionOf(database);
  copy(disk, folder, from);
  try {
    database
      .transaction(() => {
        for (let version = from; version < schema.version; version += 1) {
          const step = schema.migrations.find((migration) => migration.from === version);
          assert(step !== undefined, `there is a migration from version ${version}`);
          step.run(database);
        }
        stamp(database, schema.version);
      })
      .immediate();
  } catch (cause) {
    // What a step reads may be damaged where SQLite itself does not notice it.
    if (CountersignError.is(cause) && cause.code === 'quarantined') throw damagedBefore(folder, cause.message);
    throw cause;
  }
  database.pragma('wal_checkpoint(TRUNCATE)');
}

function damagedBefore(folder: string, what: string): CountersignError {
  return new CountersignError(
    'quarantined',
    `The journal is of an older version and damaged, so that it was left as it is; put a backup of ${folder} back. ${what}`,
  );
}

function stamp(database: Database, version: number): void {
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma(`user_version = ${version}`);
}

/** The WAL is empty at this moment, so that the database file is all of it. */
function copy(disk: Disk, folder: string, version: number): void {
  const bytes = disk.read(join(folder, DATABASE_FILE));
  assert(bytes !== undefined, 'a database that is open has a file');
  const unfinished = join(folder, `${backupFile(version)}.part`);
  const file = disk.open(unfinished, 'create');
  try {
    file.write(bytes, 0);
    file.sync();
  } finally {
    file.close();
  }
  disk.rename(unfinished, join(folder, backupFile(version)));
  disk.syncFolder(folder);
}
