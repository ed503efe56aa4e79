import { expect, test } from 'vitest';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { journalContract } from '../contract/journal.ts';
import { batchOf, rowsAfter } from '../contract/journal-rows.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { makeDice } from './dice.ts';
import { SimDisk } from './disk.ts';
import { SimJournal } from './journal.ts';

journalContract('simulated', () => Promise.resolve(served(new SimDisk())));

/** A journal whose disk does what it is asked as soon as nothing else is to be done. */
function served(disk: SimDisk): Journal {
  const journal = new SimJournal(disk, nodeCrypto.sha256);
  const commit = journal.commit.bind(journal);
  journal.commit = (batch) => {
    setImmediate(() => {
      while (journal.busy) journal.advance();
    });
    return commit(batch);
  };
  return journal;
}

/** A disk with `count` groups of two rows, all synced. */
async function written(count: number): Promise<SimDisk> {
  const disk = new SimDisk();
  const journal = served(disk);
  for (let group = 0; group < count; group++)
    await journal.commit(
      batchOf({
        rows: rowsAfter(journal.head(), [
          { kind: 'proposed', actionSeq: group + 1 },
          { kind: 'intent-recorded', actionSeq: group + 1, attempt: 1 },
        ]),
      }),
    );
  return disk;
}

const healthOf = (disk: SimDisk) => new SimJournal(disk, nodeCrypto.sha256).health;

test('[EF-7] a crash of the simulated disk leaves whole transactions, and head records up to any of them', async () => {
  const seen = new Set<string>();
  for (let seed = 0; seed < 200; seed++) {
    const disk = await written(1);
    const journal = new SimJournal(disk, nodeCrypto.sha256);
    void journal.commit(batchOf({ rows: rowsAfter(journal.head(), [{}, {}]) }));
    if (seed % 2 === 0) journal.advance();
    journal.crash(makeDice(seed));
    const { state } = healthOf(disk);
    expect(state).not.toBe('quarantined');
    seen.add(`${disk.rows.length} rows, ${disk.heads.length} heads, ${state}`);
  }
  expect([...seen].toSorted()).toEqual([
    '2 rows, 2 heads, sound',
    '4 rows, 2 heads, ahead',
    '4 rows, 3 heads, ahead',
    '4 rows, 4 heads, sound',
  ]);
});

test('[EF-7] whatever is damaged at rest on the simulated disk is found at boot, and is whole again once it is repaired', async () => {
  for (const how of ['rolled back', 'row flipped', 'head flipped', 'head lost'] as const) {
    for (let at = 0; at < 8; at++) {
      const disk = await written(6);
      const repair = disk.damage(how, at);
      expect(repair, how).toBeDefined();
      expect(healthOf(disk).state, `${how} ${at}`).toBe('quarantined');
      repair?.();
      expect(healthOf(disk)).toEqual({ state: 'sound' });
    }
  }
});

test('[EF-5] after a failed write of the simulated disk every call fails the same way', async () => {
  const disk = await written(1);
  const journal = new SimJournal(disk, nodeCrypto.sha256);
  const asked = journal.commit(batchOf({ rows: rowsAfter(journal.head(), [{}]) }));
  disk.nextError = 'head log';
  journal.advance();
  journal.advance();
  await expect(asked).rejects.toMatchObject({ code: 'storage' });
  expect(() => journal.head()).toThrow(/cannot be written any more/);
});
