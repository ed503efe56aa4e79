import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { JOURNAL_LIMITS } from '../src/journal/sqlite/limits.ts';
import { openSqliteJournal } from '../src/journal/sqlite/open.ts';
import { SCHEMA } from '../src/journal/sqlite/schema.ts';
import { imageOf } from '../test/integration/journal-image.ts';
import { foldOf } from '../test/support/golden-fold.ts';
import { goldenWorld, liveGolden, thingsOf } from '../test/support/golden-life.ts';
import { publishLab } from '../test/support/publish-lab.ts';

/**
 * Keeps a journal of the present version for ever: `npx tsx scripts/golden-journal.ts`. Every later version opens it.
 * It never overwrites: a version that was released is as it was.
 */
const folder = new URL(`../test/golden/journals/v${SCHEMA.version}/`, import.meta.url);
const dir = mkdtempSync(join(tmpdir(), 'golden-journal-'));
try {
  const journal = openSqliteJournal({ dir }, { limits: { ...JOURNAL_LIMITS, chunkBytes: 4096, reserveBytes: 4096 } });
  // What an older version cannot load is not loaded there: it made its journal with this script, too.
  const second = SCHEMA.version > 1 ? await import('../test/support/golden-second.ts') : undefined;
  const world = second?.secondWorld() ?? goldenWorld();
  const lab = await publishLab({ journal, shelf: world });
  await second?.liveSecond(lab, world);
  await liveGolden(lab, world);
  const actions = [...foldOf(journal).values()].map((action) => JSON.stringify(action));
  const end = journal.head().seq;
  await journal.close();
  mkdirSync(folder, { recursive: true });
  const write = (name: string, bytes: string | Uint8Array): void =>
    writeFileSync(new URL(name, folder), bytes, { flag: 'wx' });
  write('actions.json.br', brotliCompressSync(`[\n${actions.join(',\n')}\n]\n`));
  write(
    'world.json',
    `${JSON.stringify({ nowMs: lab.world.clock.nowMs(), said: lab.world.said, ...thingsOf(world) })}\n`,
  );
  for (const [name, bytes] of imageOf(dir)) write(`${name}.br`, brotliCompressSync(bytes));
  console.log(`v${SCHEMA.version}: ${end} rows, ${actions.length} actions.`);
} finally {
  rmSync(dir, { recursive: true });
}
// What hangs in that life hangs for ever.
process.exit();
