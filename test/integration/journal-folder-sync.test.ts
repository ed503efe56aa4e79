import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeDisk, type Disk } from '../../src/journal/sqlite/disk.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/open.ts';
import { commitRows, folderForTest, nodeError } from './journal-ports.ts';

/** SQLite syncs the folder of a new WAL, too, and does not listen to the answer. */
test('[EF-5] the name of the WAL is durable before anything is written to it, or the journal does not open', async () => {
  const dir = folderForTest();
  const first = openSqliteJournal({ dir });
  await commitRows(first, [{ kind: 'opened' }]);
  await first.close();

  const synced: boolean[] = [];
  const watched: Disk = {
    ...nodeDisk,
    syncFolder: (path) => {
      synced.push(existsSync(join(path, 'journal.db-wal')));
      nodeDisk.syncFolder(path);
    },
  };
  await openSqliteJournal({ dir }, { disk: watched }).close();
  expect(synced).toContain(true);

  const deaf: Disk = {
    ...nodeDisk,
    syncFolder: () => {
      throw nodeError('EIO');
    },
  };
  expect(() => openSqliteJournal({ dir }, { disk: deaf })).toThrow(expect.objectContaining({ code: 'storage' }));
  await openSqliteJournal({ dir }).close();
});
