import type { Database } from 'better-sqlite3';
import { migrateV1 } from './migrate-v1.ts';

/** `CSJn` in the file's header. */
export const APPLICATION_ID = 0x43534a6e;

/** Brings a database from version `from` to the next one, inside the caller's transaction. */
export interface Migration {
  readonly from: number;
  run(database: Database): void;
}

export interface Schema {
  readonly version: number;
  /** Statements that make an empty database of this version. */
  readonly ddl: string;
  /** One for each older version that was ever released. */
  readonly migrations: readonly Migration[];
}

/**
 * The version grows also where the tables stay as they are: with every new kind of event, and with records that an older
 * program would not know to look after.
 */
export const SCHEMA: Schema = {
  version: 2,
  migrations: [{ from: 1, run: migrateV1 }],
  ddl: `
    CREATE TABLE rows (
      seq INTEGER PRIMARY KEY,
      at_ms INTEGER NOT NULL,
      kind INTEGER NOT NULL,
      action_seq INTEGER NOT NULL,
      attempt INTEGER NOT NULL,
      event BLOB NOT NULL,
      audit BLOB NOT NULL,
      event_hash BLOB NOT NULL,
      root BLOB NOT NULL,
      crc INTEGER NOT NULL
    );
    CREATE INDEX rows_of_action ON rows (action_seq, seq) WHERE action_seq > 0;
    CREATE TABLE records (
      tbl TEXT NOT NULL,
      key TEXT NOT NULL,
      ord INTEGER NOT NULL,
      live INTEGER NOT NULL,
      value BLOB NOT NULL,
      crc INTEGER NOT NULL,
      PRIMARY KEY (tbl, key)
    );
    CREATE INDEX records_by_order ON records (live, tbl, ord, key);
    CREATE TABLE blobs (
      hash BLOB PRIMARY KEY,
      bytes BLOB NOT NULL
    );
    CREATE TABLE tally (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      witnessed INTEGER NOT NULL,
      live_count INTEGER NOT NULL,
      live_sum INTEGER NOT NULL,
      rest_count INTEGER NOT NULL,
      rest_sum INTEGER NOT NULL,
      crc INTEGER NOT NULL
    );
  `,
};

/** The schema's objects as SQLite keeps them: a flipped bit in one of these texts changes what a query means. */
export function schemaText(database: Database): string {
  return database
    .prepare<[], string>(
      `SELECT coalesce(sql, name) FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\' ORDER BY name`,
    )
    .pluck()
    .all()
    .join('\n');
}

export function versionOf(database: Database): number {
  return Number(database.pragma('user_version', { simple: true }));
}
