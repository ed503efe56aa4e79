import Sqlite, { type Database } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Journal } from '../../src/authority/ports.ts';
import { nodeDatabase, type OpenDatabase } from '../../src/journal/sqlite/database.ts';
import { nodeDisk, type Disk, type DiskFile } from '../../src/journal/sqlite/disk.ts';
import { endOf, stepAfter, type RowSpec } from '../contract/journal-rows.ts';

/** A folder that goes when the test ends. */
export function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Commits one row a step and gives where the journal ends then. */
export async function commitRows(journal: Journal, specs: readonly RowSpec[]): Promise<void> {
  for (const spec of specs) await journal.commit(stepAfter(journal.head(), spec));
}

/** Batches of one row each that continue a journal. */
export function chainAfter(journal: Journal, count: number): readonly ReturnType<typeof stepAfter>[] {
  const batches: ReturnType<typeof stepAfter>[] = [];
  let end = journal.head();
  for (let n = 0; n < count; n += 1) {
    const batch = stepAfter(end);
    batches.push(batch);
    end = endOf(batch, end);
  }
  return batches;
}

export interface DiskCall {
  readonly call: 'write' | 'sync' | 'rename';
  readonly file: string;
}

/** The real disk; `fault` sees each call that changes something and may throw in its place. */
export function faultyDisk(fault: (call: DiskCall) => void): Disk {
  const watched = (file: DiskFile, name: string): DiskFile => ({
    ...file,
    write: (bytes, position) => {
      fault({ call: 'write', file: name });
      file.write(bytes, position);
    },
    sync: () => {
      fault({ call: 'sync', file: name });
      file.sync();
    },
  });
  return {
    ...nodeDisk,
    open: (path, mode) => watched(nodeDisk.open(path, mode), basename(path)),
    rename: (from, to) => {
      fault({ call: 'rename', file: basename(from) });
      nodeDisk.rename(from, to);
    },
  };
}

export function nodeError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** The real SQLite; `fault` is asked before each COMMIT of the journal and may throw in its place. */
export function faultyDatabase(fault: () => void): OpenDatabase {
  return (path, options) => {
    const database = nodeDatabase(path, options);
    const prepare = database.prepare.bind(database);
    const watched = (source: string): unknown => {
      const statement = prepare(source);
      if (source !== 'COMMIT') return statement;
      return {
        run: () => {
          fault();
          return statement.run();
        },
      };
    };
    // reason: the typings of `prepare` are overloads; this stands in for each of them
    database.prepare = watched as Database['prepare'];
    return database;
  };
}

export function sqliteError(code: string): Error {
  return new Sqlite.SqliteError('injected', code);
}
