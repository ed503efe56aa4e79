import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { memoryJournal } from '../../src/journal/memory/index.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { journalContract } from './journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'journal-contract-'));
afterAll(() => rmSync(folder, { recursive: true }));

journalContract('memory', () => Promise.resolve(memoryJournal()));
let count = 0;
journalContract('sqlite', () => {
  count += 1;
  return Promise.resolve(openSqliteJournal({ dir: join(folder, String(count)) }));
});

test('says whether what it commits outlives the process', async () => {
  const [memory, sqlite] = [memoryJournal(), openSqliteJournal({ dir: join(folder, 'durable') })];
  expect([memory.durable, sqlite.durable]).toEqual([false, true]);
  await Promise.all([memory.close(), sqlite.close()]);
});
