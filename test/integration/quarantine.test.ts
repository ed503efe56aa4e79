import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { tempDir } from '../support/temp-dir.ts';
import { get, put, workshop } from '../support/workshop.ts';

test('[EF-7] a database that lost rows its witness knows is quarantined: it is read, and nothing is decided or applied', async () => {
  const dir = await tempDir();
  const before = await workshop({ journal: openSqliteJournal({ dir }) });
  const port = await before.agent('mine');
  await put(port, 'a', 'one');
  await put(port, 'b', 'two');
  await before.person.approve([before.idOf(2)]);
  await before.stop();

  // A backup put back over the database, without its head log.
  const database = new Sqlite(join(dir, 'journal.db'));
  database.prepare('DELETE FROM rows WHERE seq > (SELECT max(seq) - 2 FROM rows)').run();
  database.close();

  const after = await workshop({ journal: openSqliteJournal({ dir }), shelf: before.shelf, seed: 2 });
  expect(after.alarms).toEqual([expect.stringContaining('quarantine')]);
  expect(after.authority.status().quarantine).not.toBeNull();
  const again = await after.agent('mine');
  expect(await put(again, 'c', 'three')).toMatchObject({ type: 'refused', code: 'quarantined' });
  expect((await get(again, 'zzz')).text).toBe('');
  await expect(after.person.approve([after.idOf(1)])).rejects.toMatchObject({ code: 'quarantined' });
  await after.settled();
  expect(after.shelf.effects).toEqual([]);
  await again.close();
  await after.stop();
});
