import type { Database } from 'better-sqlite3';
import { CountersignError, messageOf } from '../../src/base/errors.ts';
import { Gathering } from '../../sync-server/storage/gathering.ts';
import { closeDatabase } from '../../sync-server/storage/sqlite-checkpoint.ts';
import { codeOf, openDatabase } from '../../sync-server/storage/sqlite-schema.ts';
import { tablesOf } from '../../sync-server/storage/sqlite-tables.ts';
import type { RelayStore } from '../../sync-server/storage/store.ts';

/**
 * The relay's own database without its thread: strace counts calls a thread, and here every call that changes a disk is
 * made by one. Statements, order and errors are those of `sqlite-thread.ts`.
 */
export function relayStoreHere(folder: string): RelayStore {
  const database = openDatabase(folder);
  const tables = tablesOf(database);
  const gathering = new Gathering(async (batch) => {
    told(database, () => tables.append(batch));
    return batch.bytes;
  });
  const ask = <T>(work: () => T): Promise<T> => gathering.inTurn(async () => told(database, work));
  return {
    append: (room, owner, update) => gathering.append(room, owner, update),
    load: (room) => ask(() => tables.load(room)),
    compact: (room, state) => ask(() => tables.compact(room, state)),
    drop: (room) => ask(() => tables.drop(room)),
    roomsOf: (owner) => ask(() => tables.roomsOf(owner)),
    heads: () => ask(() => tables.heads()),
    putHead: (head) => ask(() => tables.putHead(head)),
    putObject: (path, owner, bytes) => ask(() => tables.putObject(path, owner, bytes)),
    object: (path) => ask(() => tables.object(path)),
    dropObject: (path) => ask(() => tables.dropObject(path)),
    totals: () => ask(() => tables.totals()),
    wipe: () => ask(() => tables.wipe()),
    close: () => ask(() => closeDatabase(database)),
  };
}

function told<T>(database: Database, work: () => T): T {
  if (!database.open) throw new CountersignError('closed', 'The store is closed.');
  try {
    return work();
  } catch (thrown) {
    if (CountersignError.is(thrown)) throw thrown;
    const full = codeOf(thrown) === 'SQLITE_FULL';
    const why = full ? 'The disk of the relay is full.' : `The relay's store failed: ${messageOf(thrown)}.`;
    throw new CountersignError(full ? 'full' : 'storage', why, { cause: thrown });
  }
}
