import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Journal, JournalHealth } from '../../src/authority/ports.ts';
import { JOURNAL_LIMITS } from '../../src/journal/sqlite/limits.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import { verifyHeadLog, verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { batchOf, recordOf, type RowSpec } from '../contract/journal-rows.ts';
import { changed, imageOf, restore, spliced, without, xored, type Image } from './journal-image.ts';
import { chainAfter, commitRows, folderForTest } from './journal-ports.ts';

const INTENT: RowSpec = { kind: 'intent-recorded', actionSeq: 7, attempt: 1 };
const OUTCOME: RowSpec = { kind: 'applied', actionSeq: 7, attempt: 1 };
const REVERT: RowSpec = { kind: 'revert-begun', actionSeq: 3, attempt: 2 };

/** Crash images after every step of one history. */
async function history(steps: readonly RowSpec[]): Promise<readonly Image[]> {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir });
  const images = [imageOf(dir)];
  for (const step of steps) {
    await commitRows(journal, [step]);
    images.push(imageOf(dir));
  }
  await journal.close();
  return images;
}

function imageAt(images: readonly Image[], at: number): Image {
  const image = images.at(at);
  if (image === undefined) throw new Error(`there is no image ${at}`);
  return image;
}

function openImage(image: Image): { readonly journal: Journal; readonly dir: string } {
  const dir = join(folderForTest(), 'copy');
  restore(image, dir);
  return { dir, journal: openSqliteJournal({ dir }) };
}

/** Opens it, checks that opening and closing changed nothing, and gives the health. */
async function healthOf(image: Image): Promise<JournalHealth> {
  const { dir, journal } = openImage(image);
  const { health } = journal;
  if (health.state === 'quarantined') {
    const refused = journal.commit(chainAfter(journal, 1)[0] ?? batchOf({}));
    await expect(refused).rejects.toMatchObject({ code: 'quarantined', effect: 'none' });
  }
  await journal.close();
  if (health.state === 'quarantined') {
    const after = imageOf(dir);
    for (const [name, bytes] of image) expect(Buffer.from(after.get(name) ?? []).equals(bytes), name).toBe(true);
  }
  return health;
}

test('[EF-7] a crash between database and head log: rows ahead are named, and witnessed by the next commit', async () => {
  const images = await history([{}, {}, INTENT]);
  const { dir, journal } = openImage(spliced({ database: imageAt(images, 3), headLog: imageAt(images, 2) }));
  expect(journal.health).toEqual({ state: 'ahead', witnessed: 2 });
  expect(journal.head().seq).toBe(3);
  expect(verifyHeadLog(dir).records).toBe(2);
  await commitRows(journal, [{ kind: 'attempt-voided', actionSeq: 7, attempt: 1 }]);
  expect(verifyHeadLog(dir)).toMatchObject({ records: 4, faults: [] });
  await journal.close();
  const again = openSqliteJournal({ dir });
  expect(again.health).toEqual({ state: 'sound' });
  await again.close();
});

test('[EF-7] a crash before the very first head record is ahead of row 0', async () => {
  const images = await history([{}]);
  expect(await healthOf(spliced({ database: imageAt(images, 1), headLog: imageAt(images, 0) }))).toEqual({
    state: 'ahead',
    witnessed: 0,
  });
});

test('[EF-7] a head log that lost what it once knew is no crash: quarantine', async () => {
  const images = await history([{}, INTENT, OUTCOME]);
  const health = await healthOf(spliced({ database: imageAt(images, 3), headLog: imageAt(images, 1) }));
  expect(health).toMatchObject({ state: 'quarantined', why: expect.stringContaining('once knew row 2') });
});

test('[EF-7] a head log ahead of the database: quarantine names the intents in doubt', async () => {
  const images = await history([{}, {}, INTENT, OUTCOME, REVERT]);
  const health = await healthOf(spliced({ database: imageAt(images, 2), headLog: imageAt(images, 5) }));
  expect(health).toEqual({
    state: 'quarantined',
    why: 'The head log knows row 5, but the database ends at row 2.',
    doubtful: [
      { actionSeq: 7, attempt: 1 },
      { actionSeq: 3, attempt: 2, revert: true },
    ],
  });
});

test('[EF-7] another history of the same length: quarantine', async () => {
  const [one, other] = [await history([{}, INTENT]), await history([{}, { ...INTENT, bytes: 21 }])];
  const health = await healthOf(spliced({ database: imageAt(one, 2), headLog: imageAt(other, 2) }));
  expect(health).toMatchObject({
    state: 'quarantined',
    why: expect.stringContaining('disagree about row 2'),
    doubtful: [{ actionSeq: 7, attempt: 1 }],
  });
});

test('[EF-7] a missing head log, a missing database, a database that is none: quarantine', async () => {
  const last = imageAt(await history([{}, INTENT, OUTCOME, REVERT]), 4);
  expect(await healthOf(without(last, 'head.log'))).toMatchObject({ state: 'quarantined', doubtful: [] });
  const doubtful = [{ actionSeq: 3, attempt: 2, revert: true }];
  const gone = await healthOf(without(last, 'journal.db', 'journal.db-wal'));
  expect(gone).toMatchObject({ state: 'quarantined', why: expect.stringContaining('is missing'), doubtful });
  const garbage = changed(without(last, 'journal.db-wal'), 'journal.db', () => new Uint8Array(8192).fill(65));
  expect(await healthOf(garbage)).toMatchObject({ state: 'quarantined', doubtful });
});

test('a journal that was only just begun, in any of its stages, is begun again', async () => {
  const begun = imageAt(await history([]), 0);
  const stages = [
    without(begun, 'head.log'),
    without(begun, 'journal.db', 'journal.db-wal'),
    new Map([['journal.db', new Uint8Array(0)]]),
  ];
  for (const stage of stages) {
    const { journal } = openImage(stage);
    expect(journal.health).toEqual({ state: 'sound' });
    await commitRows(journal, [{}]);
    await journal.close();
  }
});

test('[F3] a torn last record counts as witnessed, so that its intent is never voided, and is written anew', async () => {
  const torn = changed(imageAt(await history([{}, INTENT]), 2), 'head.log', (bytes) => bytes.fill(0, 160, 256));
  const { dir, journal } = openImage(torn);
  expect(journal.health).toEqual({ state: 'sound' });
  expect(verifyHeadLog(dir)).toMatchObject({ records: 1, faults: [] });
  await commitRows(journal, [OUTCOME]);
  expect(verifyHeadLog(dir)).toMatchObject({ records: 3, faults: [] });
  await journal.close();
});

test('[F3] a damaged record with good ones after it: quarantine', async () => {
  const last = imageAt(await history([{}, INTENT, OUTCOME]), 3);
  for (const row of [1, 2]) {
    const rotten = changed(last, 'head.log', (bytes) => xored(bytes, (row - 1) * 128 + 40, 1));
    expect(await healthOf(rotten), `row ${row}`).toMatchObject({ state: 'quarantined' });
  }
});

test('[F3] records of one group may reach the disk in any order: the database vouches for the gap', async () => {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir });
  await commitRows(journal, [{}]);
  await Promise.all(chainAfter(journal, 3).map((batch) => journal.commit(batch)));
  const image = changed(imageOf(dir), 'head.log', (bytes) => bytes.fill(0, 256, 384));
  await journal.close();
  const { dir: copy, journal: again } = openImage(image);
  expect(again.health).toEqual({ state: 'sound' });
  await commitRows(again, [{}]);
  expect(verifyHeadLog(copy)).toMatchObject({ records: 5, faults: [] });
  await again.close();
});

test('[F3] noise in space that was never used is not taken for a record', async () => {
  const image = imageAt(await history([{}, {}]), 2);
  const { journal } = openImage(changed(image, 'head.log', (bytes) => xored(bytes, 128 * 700 + 3, 16)));
  expect(journal.health).toEqual({ state: 'sound' });
  await commitRows(journal, [{}]);
  await journal.close();
});

test('[F3] a live record that vanished is missed', async () => {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir });
  await journal.commit(batchOf({ puts: [recordOf('a'), recordOf('b')] }));
  await journal.close();
  const database = new Sqlite(join(dir, 'journal.db'));
  database.exec(`DELETE FROM records WHERE key = 'a'`);
  database.close();
  const again = openSqliteJournal({ dir });
  expect(again.health).toMatchObject({ state: 'quarantined', why: 'Live records are missing from the database.' });
  await again.close();
  expect(verifySqliteJournal({ dir }).faults).toEqual(['Records are missing from the database.']);
});

test('[F3] tables that mean something else than ours: quarantine', async () => {
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir });
  await journal.commit(batchOf({ puts: [recordOf('a', { live: false })] }));
  await journal.close();
  const told = await healthOf(
    changed(imageOf(dir), 'journal.db', (bytes) => {
      const at = Buffer.from(bytes).indexOf('WHERE action_seq > 0');
      expect(at).toBeGreaterThan(0);
      return xored(bytes, at + 'WHERE action_seq > '.length, 1);
    }),
  );
  expect(told).toMatchObject({ state: 'quarantined', why: expect.stringContaining('tables') });
});

test('[T21] verification of the head log finds a file that was swapped, damaged or taken away', async () => {
  const limits = { ...JOURNAL_LIMITS, segmentRecords: 4, chunkBytes: 4096 };
  const [one, other] = [folderForTest(), folderForTest()];
  for (const [dir, bytes] of [
    [one, 20],
    [other, 21],
  ] as const) {
    const journal = openSqliteJournal({ dir }, { limits });
    await commitRows(
      journal,
      Array.from({ length: 12 }, () => ({ bytes })),
    );
    await journal.close();
  }
  const [image, foreign] = [imageOf(one), imageOf(other)];
  const faultsOf = (changedImage: Image) => {
    const dir = join(folderForTest(), 'copy');
    restore(changedImage, dir);
    return verifyHeadLog(dir).faults;
  };
  expect(faultsOf(image)).toEqual([]);
  const notTheLast = 'its first record is not the last one of the file before it.';
  const swapped = changed(image, 'head-0001.log', () => foreign.get('head-0001.log') ?? new Uint8Array());
  expect(faultsOf(swapped)).toEqual([`head-0002.log: ${notTheLast}`]);
  expect(faultsOf(without(image, 'head-0002.log'))).toEqual([`head-0003.log: ${notTheLast}`]);
  expect(faultsOf(changed(image, 'head-0001.log', (bytes) => xored(bytes, 128 + 9, 4)))).toEqual([
    'head-0001.log: the record of row 2 is damaged.',
  ]);
  expect(faultsOf(without(image, 'head-0001.log'))).toEqual(['head-0002.log: older files are missing.']);
});

test('a crash while a new head log file is opened is completed or undone', async () => {
  const limits = { ...JOURNAL_LIMITS, segmentRecords: 4, chunkBytes: 4096 };
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir }, { limits });
  await commitRows(journal, [{}, {}, {}, {}]);
  const before = imageOf(dir);
  await commitRows(journal, [{}]);
  const after = imageOf(dir);
  await journal.close();
  // What the next file holds before its first own record: a copy of the last record, and zeros.
  const next = new Uint8Array(4096);
  next.set((before.get('head.log') ?? next).subarray(384, 512));
  const full = before.get('head.log') ?? next;
  const database = [...before].filter(([name]) => name.startsWith('journal'));
  const stages: readonly Image[] = [
    new Map([...before, ['head.next', next.subarray(0, 100)]]),
    new Map([...before, ['head.next', next]]),
    new Map([...database, ['head-0001.log', full], ['head.next', next]]),
    new Map([...database, ['head-0001.log', full], ['head.log', next]]),
    after,
  ];
  for (const stage of stages) {
    const copy = join(folderForTest(), 'copy');
    restore(stage, copy);
    const again = openSqliteJournal({ dir: copy }, { limits });
    expect(again.health).toEqual({ state: 'sound' });
    await commitRows(again, [{}, {}, {}, {}, {}, {}]);
    expect(verifyHeadLog(copy).faults).toEqual([]);
    expect(verifySqliteJournal({ dir: copy })).toMatchObject({ rows: again.head().seq, faults: [] });
    await again.close();
  }
});

test('older files of the head log that are missing: quarantine', async () => {
  const limits = { ...JOURNAL_LIMITS, segmentRecords: 4, chunkBytes: 4096 };
  const dir = folderForTest();
  const journal = openSqliteJournal({ dir }, { limits });
  await commitRows(journal, [{}, {}, {}, {}, {}, {}]);
  const image = imageOf(dir);
  await journal.close();
  expect(await healthOf(without(image, 'head-0001.log'))).toMatchObject({ state: 'quarantined' });
  const emptied = changed(image, 'head.log', (bytes) => new Uint8Array(bytes.length));
  expect(await healthOf(emptied)).toMatchObject({ state: 'quarantined' });
});
