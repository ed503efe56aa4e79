import { spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { memoryJournal } from '../../src/journal/memory/index.ts';
import { openSqliteJournal, verifyHeadLog, verifySqliteJournal } from '../../src/journal/sqlite/index.ts';
import { folderForTest } from './journal-ports.ts';
import { stepOf } from './journal-steps.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ROUNDS = 20;
/** Small, so that kills fall into the opening of new head log files, too. */
const SEGMENT_RECORDS = '60';

/** The writer as one plain JavaScript file: a start from TypeScript costs a second, and there are twenty. */
async function builtChild(): Promise<string> {
  const folder = folderForTest();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true, external: ['better-sqlite3'] },
    build: {
      ssr: fileURLToPath(new URL('./journal-child.ts', import.meta.url)),
      outDir: folder,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  });
  return join(folder, 'child.mjs');
}

/** Runs the writer until it has promised `rows` rows, kills it, and gives the newest row it promised. */
async function killAfter(rows: number, [child, dir]: readonly [string, string]): Promise<number> {
  const writer = spawn(process.execPath, [child, dir, SEGMENT_RECORDS], { stdio: ['ignore', 'pipe', 'inherit'] });
  let promised = 0;
  let lines = 0;
  for await (const line of createInterface({ input: writer.stdout })) {
    if (line.startsWith('open')) {
      expect(line).toMatch(/^open (sound|ahead)$/);
      continue;
    }
    promised = Math.max(promised, Number(line));
    lines += 1;
    if (lines === rows) writer.kill('SIGKILL');
  }
  expect(lines).toBeGreaterThanOrEqual(rows);
  return promised;
}

/**
 * Goal: what was promised before a SIGKILL is there after it, and nothing else changed.
 * Method: kill a writer at random moments, over and over in one folder; after each kill compare rows, records and
 * blobs with the same history in memory.
 */
test('[F1] a writer killed at any moment loses nothing it promised', async () => {
  const child = await builtChild();
  const dir = folderForTest();
  const model = memoryJournal();
  const kills = fc.sample(fc.integer({ min: 1, max: 40 }), { numRuns: ROUNDS, seed: 20260801 });
  for (const rows of kills) {
    const promised = await killAfter(rows, [child, dir]);
    const journal = openSqliteJournal({ dir, readOnly: true });
    expect(journal.health.state).toMatch(/^(sound|ahead)$/);
    const { seq } = journal.head();
    expect(seq).toBeGreaterThanOrEqual(promised);
    const from = model.head().seq + 1;
    while (model.head().seq < seq) await model.commit(stepOf(model.head()).batch);
    expect(journal.rows(from, seq)).toEqual(model.rows(from, seq));
    expect(journal.recordsBefore('action', Infinity, 100)).toEqual(model.recordsBefore('action', Infinity, 100));
    expect(journal.liveRecords('action')).toEqual(model.liveRecords('action'));
    await journal.close();
    expect(verifyHeadLog(dir).newest?.seq ?? 0).toBeGreaterThanOrEqual(promised);
    expect(verifySqliteJournal({ dir }).faults).toEqual([]);
  }
});
