import { expect, test } from 'vitest';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { expected } from '../support/publish-expected.ts';
import { publishLab } from '../support/publish-lab.ts';
import { tempDir } from '../support/temp-dir.ts';
import { put } from '../support/workshop.ts';

/** What the journal's file holds is enough: the ledger goes on in its room, the tile with the same structs. */
test('what was published outlives the process in the file, and a flipped bit in it costs a room and nothing else', async () => {
  const dir = await tempDir();
  const first = await publishLab({ journal: openSqliteJournal({ dir }) });
  const port = await first.agent();
  for (let n = 0; n < 20; n++) await put(port, `note ${n}`, 'long enough to be a blob '.repeat(20));
  await first.settled();
  await first.phone.approve(first.authority.queue({ all: false }).map(({ id }) => id));
  await first.settled();
  await first.authority.stop();

  const { shelf } = first.world;
  const second = await publishLab({ journal: openSqliteJournal({ dir }), shelf, seed: 2 });
  await put(await second.agent(), 'one more', 'x');
  await second.settled();
  expect(second.heads.at(-1)).toMatchObject({ room: '1.1', tile: '1.1' });
  expect(second.actions()).toEqual(await expected(second));
  await second.authority.stop();

  const journal = openSqliteJournal({ dir });
  const [stored] = journal.recordsBefore('doc', Number.MAX_SAFE_INTEGER, 1);
  if (stored === undefined) throw new Error('the ledger is stored');
  const value = stored.value.map((byte, at) => (at === 40 ? byte ^ 1 : byte));
  await journal.commit({ rows: [], puts: [{ ...stored, value }], drops: [], blobs: [] });
  const third = await publishLab({ journal, shelf, seed: 3 });
  await third.settled();
  expect(third.heads.at(-1)).toMatchObject({ room: '1.2', tile: '1.1' });
  expect(third.actions()).toEqual(await expected(third));
  await third.authority.stop();
});
