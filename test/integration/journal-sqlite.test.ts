import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { utf8 } from '../../src/base/bytes.ts';
import { backupFile } from '../../src/journal/sqlite/migrate.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import { nodeDatabase } from '../../src/journal/sqlite/database.ts';
import { nodeDisk } from '../../src/journal/sqlite/disk.ts';
import { JOURNAL_LIMITS } from '../../src/journal/sqlite/limits.ts';
import { SCHEMA, type Schema } from '../../src/journal/sqlite/schema.ts';
import { verifyHeadLog, verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { batchOf, blobOf, recordOf, rowsAfter, START } from '../contract/journal-rows.ts';
import { chainAfter, commitRows, faultyDatabase, faultyDisk, folderForTest } from './journal-ports.ts';

test('holds after a reopening what it held before it', async () => {
  const dir = folderForTest();
  const writer = openSqliteJournal({ dir });
  const rows = rowsAfter(START, [{ kind: 'opened' }, { actionSeq: 1 }, { kind: 'rejected', actionSeq: 1 }]);
  const blob = blobOf(utf8('some bytes'));
  const puts = [recordOf('a', { order: 4 }), recordOf('b', { live: false }), recordOf('s', { table: 'session' })];
  await writer.commit(batchOf({ rows, puts, blobs: [blob] }));
  await writer.close();

  for (const readOnly of [true, false]) {
    const journal = openSqliteJournal({ dir, readOnly });
    expect(journal.health).toEqual({ state: 'sound' });
    expect(journal.head()).toEqual({ seq: 3, root: rows[2]?.root });
    expect(journal.rows(1, 10)).toEqual(rows);
    expect(journal.liveRecords('action')).toEqual([puts[0]]);
    expect(journal.record('action', 'b')).toEqual(puts[1]);
    expect(journal.record('session', 's')).toEqual(puts[2]);
    expect(journal.blob(blob.hash)).toEqual(blob.bytes);
    await journal.close();
  }
  expect(verifySqliteJournal({ dir })).toEqual({ rows: 3, faults: [] });
  expect(verifyHeadLog(dir)).toMatchObject({ records: 3, faults: [], newest: { seq: 3, kind: 'rejected' } });
});

test('64 commits of one turn are one transaction and one sync of the head log', async () => {
  const dir = folderForTest();
  let transactions = 0;
  let syncs = 0;
  const journal = openSqliteJournal(
    { dir },
    {
      database: faultyDatabase(() => (transactions += 1)),
      disk: faultyDisk(({ call }) => (syncs += Number(call === 'sync'))),
    },
  );
  syncs = 0;
  await Promise.all(chainAfter(journal, 64).map((batch) => journal.commit(batch)));
  expect({ transactions, syncs }).toEqual({ transactions: 1, syncs: 1 });
  expect(verifyHeadLog(dir).records).toBe(64);
  await journal.commit(chainAfter(journal, 1)[0] ?? batchOf({}));
  expect({ transactions, syncs }).toEqual({ transactions: 2, syncs: 2 });
  await journal.close();
});

test('a batch is answered only after its head record is durable', async () => {
  const dir = folderForTest();
  const order: string[] = [];
  const journal = openSqliteJournal(
    { dir },
    {
      database: faultyDatabase(() => order.push('database commit')),
      disk: faultyDisk(({ call, file }) => order.push(`${call} ${file}`)),
    },
  );
  order.length = 0;
  await journal.commit(chainAfter(journal, 1)[0] ?? batchOf({}));
  order.push('answer');
  expect(order).toEqual(['database commit', 'write head.log', 'sync head.log', 'answer']);
  await journal.close();
});

test('refuses to run when SQLite does not confirm synchronous=FULL', () => {
  const stubborn = (path: string, options: Sqlite.Options) => {
    const database = nodeDatabase(path, options);
    const pragma = database.pragma.bind(database);
    database.pragma = (source, how) => (source === 'synchronous = FULL' ? [] : pragma(source, how));
    if (path !== ':memory:') pragma('synchronous = NORMAL');
    return database;
  };
  const open = () => openSqliteJournal({ dir: folderForTest() }, { database: stubborn });
  expect(open).toThrow(
    expect.objectContaining({ code: 'storage', effect: 'none', message: expect.stringContaining('synchronous 1') }),
  );
});

test('only the owner may read its files', async () => {
  const dir = join(folderForTest(), 'made');
  const journal = openSqliteJournal({ dir });
  await commitRows(journal, [{}]);
  for (const name of readdirSync(dir)) expect((statSync(join(dir, name)).mode & 0o077).toString(8), name).toBe('0');
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  await journal.close();
});

test('reads beside a running writer, and sees what it commits', async () => {
  const dir = folderForTest();
  const writer = openSqliteJournal({ dir });
  await commitRows(writer, [{}, {}]);
  const reader = openSqliteJournal({ dir, readOnly: true });
  expect(reader.health).toEqual({ state: 'sound' });
  expect(reader.head()).toEqual(writer.head());
  await commitRows(writer, [{}]);
  expect(reader.head()).toEqual(writer.head());
  expect(reader.rows(3, 1)).toEqual(writer.rows(3, 1));
  await expect(reader.commit(chainAfter(reader, 1)[0] ?? batchOf({}))).rejects.toMatchObject({ code: 'denied' });
  expect(verifySqliteJournal({ dir })).toEqual({ rows: 3, faults: [] });
  await reader.close();
  await commitRows(writer, [{}]);
  await writer.close();
});

test('reading where there is no journal says so and makes nothing', () => {
  const dir = folderForTest();
  const open = (path: string) => () => openSqliteJournal({ dir: path, readOnly: true });
  expect(open(dir)).toThrow(expect.objectContaining({ code: 'not-found' }));
  expect(open(join(dir, 'nowhere'))).toThrow(expect.objectContaining({ code: 'not-found' }));
  expect(readdirSync(dir)).toEqual([]);
});

test('[F5] a second writer stops at its first commit, with nothing stored', async () => {
  const dir = folderForTest();
  const [first, second] = [openSqliteJournal({ dir }), openSqliteJournal({ dir })];
  await commitRows(first, [{}]);
  const [batch] = rowsAfter(START, [{ kind: 'opened' }]);
  await expect(second.commit(batchOf({ rows: batch ? [batch] : [] }))).rejects.toMatchObject({ code: 'storage' });
  expect(() => second.head()).toThrow(expect.objectContaining({ code: 'storage' }));
  expect(first.rows(1, 10)).toHaveLength(1);
  await Promise.all([first.close(), second.close()]);
});

test('[F10] refuses the journal of a newer version in one sentence and leaves the file alone', async () => {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir }, { schema: { ...SCHEMA, version: 7 } });
  await commitRows(journal, [{}]);
  await journal.close();
  const before = readFileSync(join(dir, 'journal.db'));
  for (const readOnly of [true, false]) {
    const open = () => openSqliteJournal({ dir, readOnly });
    expect(open).toThrow(
      expect.objectContaining({ code: 'too-new', effect: 'none', message: expect.stringContaining('version 7') }),
    );
  }
  expect(readFileSync(join(dir, 'journal.db')).equals(before)).toBe(true);
});

const NEXT: Schema = {
  version: SCHEMA.version + 1,
  ddl: `${SCHEMA.ddl}; CREATE TABLE later (name TEXT NOT NULL);`,
  migrations: [
    ...SCHEMA.migrations,
    { from: SCHEMA.version, run: (database) => database.exec('CREATE TABLE later (name TEXT NOT NULL)') },
  ],
};

test('[F10] brings an older journal up to date, keeping a copy of what it was', async () => {
  const dir = folderForTest();
  const old = openSqliteJournal({ dir });
  await commitRows(old, [{}, {}]);
  await old.close();
  expect(() => openSqliteJournal({ dir, readOnly: true }, { schema: NEXT })).toThrow(
    expect.objectContaining({ code: 'stale' }),
  );
  const renewed = openSqliteJournal({ dir }, { schema: NEXT });
  expect(renewed.health).toEqual({ state: 'sound' });
  expect(renewed.head().seq).toBe(2);
  await commitRows(renewed, [{}]);
  await renewed.close();
  const copy = new Sqlite(join(dir, backupFile(SCHEMA.version)), { readonly: true });
  expect(copy.pragma('user_version', { simple: true })).toBe(SCHEMA.version);
  expect(copy.prepare('SELECT count(*) FROM rows').pluck().get()).toBe(2);
  copy.close();
});

test('[F10] a migration that fails leaves the old journal as it was', async () => {
  const dir = folderForTest();
  const old = openSqliteJournal({ dir });
  await commitRows(old, [{}, {}]);
  await old.close();
  const failing: Schema = {
    ...NEXT,
    migrations: [
      {
        from: SCHEMA.version,
        run: (database) => {
          database.exec('DELETE FROM rows');
          database.exec('SELECT no_such_function()');
        },
      },
    ],
  };
  expect(() => openSqliteJournal({ dir }, { schema: failing })).toThrow(expect.objectContaining({ code: 'storage' }));
  const again = openSqliteJournal({ dir });
  expect(again.head().seq).toBe(2);
  await again.close();
});

test('opens a new file of the head log when one is full, and reads only the newest at boot', async () => {
  const dir = folderForTest();
  const limits = { ...JOURNAL_LIMITS, segmentRecords: 10, chunkBytes: 4096 };
  let journal = openSqliteJournal({ dir }, { limits });
  for (let n = 0; n < 35; n += 1) {
    await commitRows(journal, [{ actionSeq: n }]);
    if (n % 7 !== 0) continue;
    await journal.close();
    journal = openSqliteJournal({ dir }, { limits });
    expect(journal.health).toEqual({ state: 'sound' });
  }
  await Promise.all(chainAfter(journal, 65).map((batch) => journal.commit(batch)));
  await journal.close();
  expect(
    readdirSync(dir)
      .filter((name) => name.startsWith('head'))
      .toSorted(),
  ).toEqual(['head-0001.log', 'head-0002.log', 'head-0003.log', 'head.log']);
  const read: string[] = [];
  const listening = { ...nodeDisk, read: (path: string) => (read.push(basename(path)), nodeDisk.read(path)) };
  await openSqliteJournal({ dir }, { limits, disk: listening }).close();
  expect(read).toEqual(['head.log']);
  expect(verifyHeadLog(dir)).toMatchObject({ records: 100, faults: [] });
  expect(verifySqliteJournal({ dir })).toEqual({ rows: 100, faults: [] });
});
