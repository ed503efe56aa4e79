import Sqlite, { type Database } from 'better-sqlite3';
import type { JournalRecord } from '../../../src/authority/ports.ts';
import type { Sha256 } from '../../../src/crypto/ports.ts';
import type { Disk } from '../../../src/journal/sqlite/disk.ts';
import { migrate } from '../../../src/journal/sqlite/migrate.ts';
import { Reads } from '../../../src/journal/sqlite/reads.ts';
import { APPLICATION_ID, SCHEMA } from '../../../src/journal/sqlite/schema.ts';
import { Store } from '../../../src/journal/sqlite/store.ts';
import { EMPTY_TALLY, sameSum, sumOf } from '../../../src/journal/sqlite/tally.ts';
import type { JournalRow } from '../../../src/model/event.ts';
import type { SimDisk } from '../disk.ts';

export interface Renewed {
  readonly rows: readonly JournalRow[];
  readonly records: readonly JournalRecord[];
  /** What is wrong with the database itself. */
  readonly wrong: readonly string[];
}

/** A real database of version 1 with these rows and records, taken through the product's own migration, and read again. */
export function renew(
  { blobs, rows, tally }: Pick<SimDisk, 'rows' | 'blobs' | 'tally'>,
  records: readonly JournalRecord[],
  sha256: Sha256,
): Renewed {
  const database = new Sqlite(':memory:');
  try {
    // Its tables were the present ones.
    database.exec(SCHEMA.ddl);
    const kept = [...blobs].map(([hash, bytes]) => ({ hash, bytes }));
    new Store(database, EMPTY_TALLY).write([{ rows, puts: records, drops: [], blobs: kept }], tally);
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma('user_version = 1');
    migrate(database, SCHEMA, { disk: filesOf(database), folder: '/simulated' });
    return readAgain(database, { sha256, blobs: [...blobs.keys()], rows: rows.length, tally });
  } finally {
    database.close();
  }
}

function readAgain(
  database: Database,
  expected: {
    readonly sha256: Sha256;
    readonly blobs: readonly Parameters<Reads['blob']>[0][];
    readonly rows: number;
    readonly tally: number;
  },
): Renewed {
  const reads = new Reads(database, expected.sha256);
  const [records, tally] = [[...reads.allRecords()], reads.tally()];
  const live = records.filter((record) => record.live);
  const rest = records.filter((record) => !record.live);
  const wrong: string[] = [];
  if (Number(database.pragma('user_version', { simple: true })) !== SCHEMA.version)
    wrong.push('its version is an old one');
  if (!sameSum(sumOf(live), tally.live) || !sameSum(sumOf(rest), tally.rest))
    wrong.push('its sums are not of its records');
  if (tally.witnessed !== expected.tally) wrong.push(`it knows of ${tally.witnessed} witnessed rows`);
  for (const hash of expected.blobs) if (reads.blob(hash) === undefined) wrong.push(`blob ${hash} is gone`);
  return { rows: reads.rows(1, expected.rows + 1), records, wrong };
}

/** The files beside a database in memory: its own bytes, and a copy of them that goes nowhere. */
function filesOf(database: Database): Disk {
  const nothing = (): void => undefined;
  return {
    makeFolder: nothing,
    list: () => [],
    sizeOf: () => undefined,
    read: () => database.serialize(),
    open: () => ({ size: () => 0, write: nothing, sync: nothing, close: nothing }),
    rename: nothing,
    remove: nothing,
    syncFolder: nothing,
    freeBytes: () => Number.MAX_SAFE_INTEGER,
  };
}
