import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import * as fake from 'fake-indexeddb';
import { browserStorage } from '../../src/replica/browser/storage.ts';
import { memoryStorage } from '../../src/replica/memory.ts';
import type { ReplicaStorage } from '../../src/replica/ports.ts';

/** Where a device keeps things, and how a second window of it opens the same. */
export interface StorageKind {
  readonly name: string;
  open(): Promise<() => Promise<ReplicaStorage>>;
}

/** Puts an IndexedDB where a page has one. It is empty again for whoever asks next. */
export function withIndexedDb(): void {
  const globals = Object.entries(fake).filter(([name]) => name.startsWith('IDB'));
  Object.assign(globalThis, Object.fromEntries(globals), { indexedDB: new IDBFactory(), IDBKeyRange });
}

let databases = 0;

export const STORAGES: readonly StorageKind[] = [
  {
    name: 'memory',
    open: async () => {
      const storage = memoryStorage({ volatile: null });
      return async () => storage;
    },
  },
  {
    name: 'IndexedDB',
    open: async () => {
      withIndexedDb();
      const name = `device ${(databases += 1)}`;
      return () => browserStorage(name);
    },
  },
];
