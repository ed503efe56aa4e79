import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { Reads } from '../../../src/journal/sqlite/reads.ts';
import { SCHEMA } from '../../../src/journal/sqlite/schema.ts';
import { Store } from '../../../src/journal/sqlite/store.ts';
import { EMPTY_TALLY } from '../../../src/journal/sqlite/tally.ts';
import { batchOf, blobOf, recordOf, rowsAfter, sha256, START } from '../../contract/journal-rows.ts';

/** A filled database that takes any value anywhere, as a disk does. */
function lawless(): { readonly database: Sqlite.Database; readonly reads: Reads } {
  const database = new Sqlite(':memory:');
  database.exec(SCHEMA.ddl.replaceAll('NOT NULL', ''));
  const rows = rowsAfter(START, [{ kind: 'opened' }]);
  const puts = [recordOf('a', { order: 0, value: utf8('') }), recordOf('b', { live: false })];
  new Store(database, EMPTY_TALLY).write([batchOf({ rows, puts, blobs: [blobOf(utf8('bytes'))] })], 0);
  return { database, reads: new Reads(database, sha256) };
}

function readAll(reads: Reads): unknown {
  const { hash } = blobOf(utf8('bytes'));
  return [reads.tally(), reads.rows(1, 9), reads.allLive(), [...reads.allRecords()], reads.blob(hash)];
}

const COLUMNS = {
  rows: ['at_ms', 'kind', 'action_seq', 'attempt', 'event', 'audit', 'event_hash', 'root', 'crc'],
  records: ['tbl', 'key', 'ord', 'live', 'value', 'crc'],
  blobs: ['bytes'],
  tally: ['witnessed', 'live_count', 'live_sum', 'rest_count', 'rest_sum', 'crc'],
};

const VALUES = ['NULL', "''", "x''", '77', '-1', "'0'"];

test('[F3] whatever value a column is changed to, it is noticed', () => {
  const whole = lawless();
  expect(() => readAll(whole.reads)).not.toThrow();
  for (const [table, columns] of Object.entries(COLUMNS)) {
    for (const column of columns) {
      for (const value of VALUES) {
        const { database, reads } = lawless();
        // In both records, so that the live one, which holds zeros and nothing, is among them.
        const was = database.prepare(`SELECT quote(${column}) FROM ${table}`).pluck().all();
        database.exec(`UPDATE OR REPLACE ${table} SET ${column} = ${value}`);
        const is = database.prepare(`SELECT quote(${column}) FROM ${table}`).pluck().all();
        if (JSON.stringify(was) === JSON.stringify(is)) continue;
        const noticed = expect.objectContaining({ code: 'quarantined' });
        expect(() => readAll(reads), `${table}.${column} = ${value}`).toThrow(noticed);
      }
    }
  }
});

test('[F3] a row that is missing is noticed, wherever reading begins', () => {
  const { database, reads } = lawless();
  const end = { seq: 1, root: reads.head().root };
  const rows = rowsAfter(end, [{}, {}, {}]);
  new Store(database, EMPTY_TALLY).write([batchOf({ rows })], 0);
  database.exec('DELETE FROM rows WHERE seq = 3');
  expect(reads.rows(1, 2)).toHaveLength(2);
  for (const from of [1, 2, 3]) expect(() => reads.rows(from, 9)).toThrow(/row 3, which is missing/);
  expect(reads.rows(4, 9)).toHaveLength(1);
});
