/** A writer to be killed: commits one row after the other, several a turn, and prints each row once it is promised. */
import { writeSync } from 'node:fs';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { JOURNAL_LIMITS } from '../../src/journal/sqlite/limits.ts';
import { openSqliteJournal as openWithPorts } from '../../src/journal/sqlite/open.ts';
import { stepOf } from './journal-steps.ts';

const STDOUT = 1;
/** Commits under way at once. */
const CALLERS = 5;

const [dir, segmentRecords] = process.argv.slice(2);
if (dir === undefined) throw new Error('usage: journal-child DIR [SEGMENT_RECORDS]');
const journal =
  segmentRecords === undefined
    ? openSqliteJournal({ dir })
    : openWithPorts(
        { dir },
        { limits: { ...JOURNAL_LIMITS, segmentRecords: Number(segmentRecords), walPages: 40, flushesPerTidy: 1 } },
      );

let end = journal.head();
writeSync(STDOUT, `open ${journal.health.state}\n`);

async function call(): Promise<void> {
  for (;;) {
    const { batch, seq } = stepOf(end);
    end = batch.rows.at(-1) ?? end;
    await journal.commit(batch);
    writeSync(STDOUT, `${seq}\n`);
  }
}

await Promise.all(Array.from({ length: CALLERS }, call));
