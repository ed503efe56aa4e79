import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import { CountersignError } from '../../base/errors.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import type { ChainEnd, Fact, Identity, OutboxEntry, RefusedEntry } from '../ports.ts';

/** Raised when the stores change. */
const VERSION = 1;

/** Milliseconds the browser may take to open its database; some never answer, and a page must say so. */
const OPEN_MS_MAX = 10_000;

export interface Stores extends DBSchema {
  identity: { key: 'self'; value: Identity };
  outbox: { key: [WorkspaceId, number]; value: OutboxEntry };
  ends: { key: WorkspaceId; value: ChainEnd };
  refused: { key: number; value: RefusedEntry };
  facts: { key: string; value: Fact };
  blobs: { key: string; value: Uint8Array };
  /** How large each is: asked at every start, when the blobs themselves are not read. */
  blobSizes: { key: string; value: number };
}

export type Database = IDBPDatabase<Stores>;

/** Throws: `storage` where the browser keeps nothing, or does not answer; `too-new` for what a newer page wrote. */
export async function openDatabase(name: string): Promise<Database> {
  const opening = openDB<Stores>(name, VERSION, {
    upgrade(db) {
      db.createObjectStore('identity');
      db.createObjectStore('outbox');
      db.createObjectStore('ends');
      db.createObjectStore('refused', { autoIncrement: true });
      db.createObjectStore('facts');
      db.createObjectStore('blobs');
      db.createObjectStore('blobSizes');
    },
    // A newer page waits for this one to let go.
    blocking: (_current, _blocked, event) => {
      // reason: the event's target is the database that is in the way
      (event.target as IDBDatabase).close();
    },
  });
  try {
    return await Promise.race([opening, tooSlow()]);
  } catch (cause) {
    if (nameOf(cause) === 'VersionError')
      throw new CountersignError('too-new', 'A newer version of this page was used here. Load the page again.', {
        cause,
      });
    throw new CountersignError('storage', 'This browser stores nothing for this page.', { cause });
  }
}

/** Throws what a failed transaction means for who asked for it. */
export async function stored<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (CountersignError.is(cause)) throw cause;
    if (nameOf(cause) === 'QuotaExceededError')
      throw new CountersignError(
        'full',
        'The storage of this browser is full: nothing was saved. Free some space, then decide again.',
        { cause },
      );
    throw new CountersignError('storage', 'This browser could not save it.', { cause });
  }
}

function nameOf(thrown: unknown): string | undefined {
  return typeof thrown === 'object' && thrown !== null && 'name' in thrown && typeof thrown.name === 'string'
    ? thrown.name
    : undefined;
}

function tooSlow(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('The database did not open.')), OPEN_MS_MAX);
  });
}
