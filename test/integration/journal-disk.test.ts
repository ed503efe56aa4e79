import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { textOf, utf8 } from '../../src/base/bytes.ts';
import type { Journal, JournalBatch, JournalRecord } from '../../src/authority/ports.ts';
import { nodeDisk } from '../../src/journal/sqlite/disk.ts';
import { verifyHeadLog, verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { JOURNAL_LIMITS } from '../../src/journal/sqlite/limits.ts';
import { RESERVE_FILE } from '../../src/journal/sqlite/reserve.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import { batchOf, blobOf, endOf, stepAfter } from '../contract/journal-rows.ts';
import {
  chainAfter,
  commitRows,
  faultyDatabase,
  faultyDisk,
  folderForTest,
  nodeError,
  sqliteError,
  type DiskCall,
} from './journal-ports.ts';

/** Programs that only Linux has, and only root may use. */
const MOUNT = 'mount';
const UNMOUNT = 'umount';

const FULL = { code: 'full', effect: 'none' } as const;
const STORAGE = { code: 'storage', effect: 'unknown' } as const;

function next(journal: Journal, parts: Partial<JournalBatch> = {}): JournalBatch {
  return { ...stepAfter(journal.head(), {}), ...parts };
}

/** A disk of its own, small enough to be filled. */
function smallDisk(megabytes: number): string | undefined {
  const folder = join(folderForTest(), 'disk');
  mkdirSync(folder);
  const mounted = spawnSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (mounted.status !== 0) return undefined;
  onTestFinished(() => void spawnSync(UNMOUNT, ['-l', folder]));
  return folder;
}

test('[F2] a full disk refuses new work, still writes the outcome under way, and works again when there is room', async ({
  annotate,
}) => {
  const disk = smallDisk(8);
  if (disk === undefined) {
    // The injected faults below prove the same rules; only the kernel's own answer is missing.
    await annotate('NO TMPFS: mount is not permitted here, so the real full disk was not tried', 'warning');
    process.stderr.write('\nNO TMPFS: mount is not permitted here, so the real full disk was not tried\n');
    return;
  }
  const dir = join(disk, 'journal');
  const filler = join(disk, 'filler');
  const journal = openSqliteJournal({ dir });
  await commitRows(journal, [{}, {}]);
  writeFileSync(filler, new Uint8Array(nodeDisk.freeBytes(disk)));

  let stored = 2;
  const fill = async () => {
    for (;;) {
      await journal.commit(next(journal, { blobs: [blobOf(utf8(`${stored}`.padEnd(40_000, '-')))] }));
      stored += 1;
    }
  };
  await expect(fill()).rejects.toMatchObject(FULL);
  expect(journal.head().seq).toBe(stored);
  expect(journal.rows(1, 100)).toHaveLength(stored);

  for (let n = 0; n < 20; n += 1) await journal.commit(next(journal, { urgent: true }));
  await expect(journal.commit(next(journal))).rejects.toMatchObject(FULL);
  await journal.commit(next(journal, { urgent: true }));
  expect(journal.head().seq).toBe(stored + 21);
  expect(verifyHeadLog(dir)).toMatchObject({ records: stored + 21, faults: [] });

  rmSync(filler);
  await commitRows(journal, [{}, {}]);
  expect(statSync(join(dir, RESERVE_FILE)).size).toBe(JOURNAL_LIMITS.reserveBytes);
  await journal.close();
  const again = openSqliteJournal({ dir });
  expect(again.health).toEqual({ state: 'sound' });
  expect(again.head().seq).toBe(stored + 23);
  expect(verifySqliteJournal({ dir }).faults).toEqual([]);
  await again.close();
});

test('[F2] opening on a disk without room says full and leaves no half-made journal', () => {
  const full = faultyDisk(({ call }) => {
    if (call === 'write') throw nodeError('ENOSPC');
  });
  const dir = folderForTest();
  expect(() => openSqliteJournal({ dir }, { disk: full })).toThrow(expect.objectContaining(FULL));
  const journal = openSqliteJournal({ dir });
  expect(journal.health).toEqual({ state: 'sound' });
  return journal.close();
});

test('[F2] a full database rejects the whole group, who built on it too, and changes nothing', async () => {
  const dir = folderForTest();
  let full = false;
  const database = faultyDatabase(() => {
    if (full) throw sqliteError('SQLITE_FULL');
  });
  const journal = openSqliteJournal({ dir }, { database });
  await commitRows(journal, [{}]);
  const before = journal.head();
  full = true;
  const group = chainAfter(journal, 4);
  const late = stepAfter(endOf(group[3] ?? batchOf({}), before), {});
  const answers = await Promise.allSettled([
    ...group.slice(0, 3).map((batch) => journal.commit(batch)),
    journal.commit(group[3] ?? batchOf({})).catch(async (cause: unknown) => {
      await journal.commit(late);
      throw cause;
    }),
  ]);
  for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: FULL });
  expect(journal.head()).toEqual(before);
  expect(journal.rows(1, 10)).toHaveLength(1);
  full = false;
  await Promise.all(group.map((batch) => journal.commit(batch)));
  expect(journal.head().seq).toBe(5);
  await journal.close();
  expect(verifySqliteJournal({ dir })).toEqual({ rows: 5, faults: [] });
});

test('[F2] records that a full disk took back are written and dropped afterwards like any others', async () => {
  const dir = folderForTest();
  let full = false;
  const database = faultyDatabase(() => {
    if (full) throw sqliteError('SQLITE_FULL');
  });
  const journal = openSqliteJournal({ dir }, { database });
  const record = (key: string, order: number, live: boolean, text: string): JournalRecord => {
    return { table: 'action', key, order, live, value: utf8(text) };
  };
  const commit = (puts: readonly JournalRecord[], drops: JournalBatch['drops'] = []) =>
    journal.commit(next(journal, { puts, drops }));
  await commit([record('changed', 1, true, 'first'), record('dropped', 2, true, 'stays')]);
  full = true;
  const refused = commit(
    [record('changed', 1, false, 'lost'), record('new', 3, true, 'lost')],
    [{ table: 'action', key: 'dropped' }],
  );
  await expect(refused).rejects.toMatchObject(FULL);
  full = false;
  await commit([record('other', 4, true, 'in its place'), record('new', 3, true, 'written')]);
  await commit([record('changed', 1, true, 'second'), record('new', 3, false, 'over')]);
  await commit([record('dropped', 2, false, 'kept'), record('new', 3, false, 'over again')]);
  await commit([], [{ table: 'action', key: 'other' }]);
  expect(journal.liveRecords('action')).toEqual([record('changed', 1, true, 'second')]);
  expect(journal.recordsBefore('action', 9, 9).map(({ value }) => textOf(value))).toEqual([
    'over again',
    'kept',
    'second',
  ]);
  await journal.close();
  expect(verifySqliteJournal({ dir })).toEqual({ rows: 5, faults: [] });
});

test('[F2] a head log that cannot grow refuses before the database has anything', async () => {
  const dir = folderForTest();
  let transactions = 0;
  let full = false;
  const limits = { ...JOURNAL_LIMITS, chunkBytes: 4096 };
  const disk = faultyDisk(({ call, file }) => {
    if (full && call === 'write' && file === 'head.log') throw nodeError('ENOSPC');
  });
  const journal = openSqliteJournal({ dir }, { limits, disk, database: faultyDatabase(() => (transactions += 1)) });
  await Promise.all(chainAfter(journal, 32).map((batch) => journal.commit(batch)));
  full = true;
  await expect(journal.commit(next(journal))).rejects.toMatchObject(FULL);
  expect(transactions).toBe(1);
  expect(journal.head().seq).toBe(32);
  full = false;
  await commitRows(journal, [{}]);
  await journal.close();
});

test('[F2] a head record that finds the disk full after all is written from the reserve', async () => {
  const dir = folderForTest();
  const calls: string[] = [];
  let failures = 0;
  const disk = faultyDisk(({ call, file }) => {
    calls.push(`${call} ${file}`);
    if (call !== 'write' || file !== 'head.log' || failures === 0) return;
    failures -= 1;
    throw nodeError('ENOSPC');
  });
  const journal = openSqliteJournal({ dir }, { disk });
  await commitRows(journal, [{}]);
  failures = 1;
  await commitRows(journal, [{}]);
  expect(verifyHeadLog(dir).records).toBe(2);
  failures = 2;
  await expect(journal.commit(next(journal))).rejects.toMatchObject(STORAGE);
});

const DEATHS: readonly {
  readonly name: string;
  readonly disk?: (call: DiskCall) => boolean;
  readonly database?: string;
}[] = [
  { name: 'the sync of the head log', disk: ({ call, file }) => call === 'sync' && file === 'head.log' },
  { name: 'the write of the head log', disk: ({ call, file }) => call === 'write' && file === 'head.log' },
  { name: "SQLite's sync of the WAL", database: 'SQLITE_IOERR_FSYNC' },
  { name: "SQLite's write", database: 'SQLITE_IOERR_WRITE' },
  { name: 'an error nobody knows', database: 'SQLITE_INTERNAL' },
];

test.each(DEATHS)(
  '[EF-5] after an error of $name every call throws storage, and nothing is tried again',
  async (death) => {
    const dir = folderForTest();
    let armed = false;
    let calls = 0;
    let errors = 0;
    const disk = faultyDisk((call) => {
      if (!armed) return;
      calls += 1;
      if (death.disk?.(call) !== true) return;
      errors += 1;
      throw nodeError('EIO');
    });
    const database = faultyDatabase(() => {
      if (!armed) return;
      calls += 1;
      if (death.database === undefined) return;
      errors += 1;
      throw sqliteError(death.database);
    });
    const journal = openSqliteJournal({ dir }, { disk, database });
    await commitRows(journal, [{}]);
    const [first, second] = chainAfter(journal, 2);
    armed = true;
    const answers = await Promise.allSettled([first, second].map((batch) => journal.commit(batch ?? batchOf({}))));
    for (const answer of answers) expect(answer).toMatchObject({ status: 'rejected', reason: STORAGE });
    const callsUntilDeath = calls;
    await expect(journal.commit(first ?? batchOf({}))).rejects.toMatchObject(STORAGE);
    for (const call of [() => journal.head(), () => journal.rows(1, 1), () => journal.liveRecords('action')])
      expect(call).toThrow(expect.objectContaining(STORAGE));
    await journal.close();
    expect({ calls, errors }).toEqual({ calls: callsUntilDeath, errors: 1 });
  },
);

test('[EF-5] an error during a checkpoint is not swallowed', async () => {
  const dir = folderForTest();
  const limits = { ...JOURNAL_LIMITS, walPages: 1, flushesPerTidy: 1 };
  const tasks: (() => void)[] = [];
  const database = faultyDatabase(() => undefined);
  const journal = openSqliteJournal(
    { dir },
    {
      limits,
      soon: (run) => tasks.push(run),
      database: (path, options) => {
        const real = database(path, options);
        const pragma = real.pragma.bind(real);
        real.pragma = (source, how) => {
          if (source === 'wal_checkpoint(PASSIVE)') throw sqliteError('SQLITE_IOERR_FSYNC');
          return pragma(source, how);
        };
        return real;
      },
    },
  );
  const stored = journal.commit(next(journal));
  tasks.shift()?.();
  await stored;
  tasks.shift()?.();
  expect(() => journal.head()).toThrow(expect.objectContaining(STORAGE));
});

test('an opening that the disk refuses names the reason and changes nothing', async () => {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir });
  await commitRows(journal, [{}]);
  await journal.close();
  const before = readFileSync(join(dir, 'journal.db'));
  const refusals = { EIO: 'storage', EACCES: 'denied' } as const;
  for (const [code, meaning] of Object.entries(refusals)) {
    const disk = {
      ...nodeDisk,
      read: () => {
        throw nodeError(code);
      },
    };
    const open = () => openSqliteJournal({ dir }, { disk });
    expect(open).toThrow(expect.objectContaining({ code: meaning, effect: 'none' }));
  }
  expect(readFileSync(join(dir, 'journal.db')).equals(before)).toBe(true);
});
