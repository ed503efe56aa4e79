import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

export interface BareInserts {
  /** The disk to be measured: a folder on it. */
  readonly dir: string;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * What one durable insert of that size costs on that disk with nothing of ours around it: WAL, `synchronous=FULL`,
 * one row a transaction, a prepared statement. Nanoseconds of each insert, in order. Leaves nothing behind.
 */
export function bareInserts({ dir, rows, bytes }: BareInserts): readonly number[] {
  const path = join(dir, `bare-${process.pid}.db`);
  const database = new Sqlite(path);
  try {
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.exec('CREATE TABLE bare (seq INTEGER PRIMARY KEY, value BLOB NOT NULL)');
    const insert = database.prepare('INSERT INTO bare (value) VALUES (?)');
    const value = Buffer.alloc(bytes, 'x');
    return Array.from({ length: rows }, () => {
      const startedAtNs = process.hrtime.bigint();
      insert.run(value);
      return Number(process.hrtime.bigint() - startedAtNs);
    });
  } finally {
    database.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
}
