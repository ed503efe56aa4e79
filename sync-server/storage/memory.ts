import type { RelayStore } from './store.ts';

/** A store that forgets everything when it is closed. */
export function openMemoryStore(): RelayStore {
  throw new Error('The memory store is being built.');
}
