import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Appends and syncs two files in turns, as often as the drain must for so many actions: the journal's bytes, then the
 * head records' bytes, each made durable before the next. Seconds for all of it. Leaves nothing behind.
 */
export function bareSyncs(options: {
  readonly dir: string;
  readonly count: number;
  readonly journalBytes: number;
  readonly headBytes: number;
}): number {
  const paths = [join(options.dir, `bare-journal-${process.pid}`), join(options.dir, `bare-head-${process.pid}`)];
  const [journal = -1, head = -1] = paths.map((path) => openSync(path, 'a', 0o600));
  const rows = Buffer.alloc(options.journalBytes, 'x');
  const records = Buffer.alloc(options.headBytes, 'x');
  try {
    const startedAtNs = process.hrtime.bigint();
    for (let i = 0; i < options.count; i++) {
      writeSync(journal, rows);
      fdatasyncSync(journal);
      writeSync(head, records);
      fdatasyncSync(head);
    }
    return Number(process.hrtime.bigint() - startedAtNs) / 1e9;
  } finally {
    closeSync(journal);
    closeSync(head);
    for (const path of paths) rmSync(path, { force: true });
  }
}
