import type { Database } from 'better-sqlite3';
import { SCHEMA, type Schema } from '../../src/journal/sqlite/schema.ts';

/** A table that a later version might bring, filled from what is there: a migration that writes pages. */
const LATER = 'CREATE TABLE later (seq INTEGER PRIMARY KEY, size INTEGER NOT NULL)';

/** The next version of the journal, so that today's journal is one of an older version. */
export const NEWER_SCHEMA: Schema = {
  version: SCHEMA.version + 1,
  ddl: `${SCHEMA.ddl};${LATER};`,
  migrations: [
    ...SCHEMA.migrations,
    {
      from: SCHEMA.version,
      run: (database: Database) => {
        database.exec(LATER);
        database.exec('INSERT INTO later SELECT seq, length(event) FROM rows');
      },
    },
  ],
};
