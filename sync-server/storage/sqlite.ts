import type { RelayStore } from './store.ts';

/** A store in one SQLite database under `folder`, which is made when it is missing. */
export function openSqliteStore(_folder: string): Promise<RelayStore> {
  return Promise.reject(new Error('The SQLite store is being built.'));
}
