import { clearDocument, IndexeddbPersistence } from 'y-indexeddb';
import type { Clock } from '../../base/clock.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import type { DocCache } from '../ports.ts';

/** Stands before the names of the databases, one a document. */
const PREFIX = 'countersign doc ';

/**
 * `y-indexeddb` behind a guard. It reports no error of its own, can hang, and an exception in its handler would silence
 * the document for good: so its handler is wrapped, its load is bounded by time, and it is never relied on.
 */
export function browserDocCache(parts: {
  readonly clock: Clock;
  readonly onFault: (thrown: unknown) => void;
}): DocCache {
  const { clock, onFault } = parts;
  return {
    attach(room, doc) {
      let kept: IndexeddbPersistence;
      try {
        kept = new IndexeddbPersistence(PREFIX + room, doc);
      } catch (thrown) {
        onFault(thrown);
        return { loaded: Promise.resolve(), close: () => undefined };
      }
      guard(kept, onFault);
      const loaded = new Promise<void>((resolve) => {
        const cancel = clock.after(REPLICA_LIMITS.cacheMsMax, resolve);
        kept.once('synced', () => {
          cancel();
          resolve();
        });
      });
      return {
        loaded,
        close: () => {
          kept.destroy().catch(onFault);
        },
      };
    },
    forget(room) {
      clearDocument(PREFIX + room).catch(onFault);
    },
  };
}

/** Forgets the documents of whatever device was here before. Best effort: without their keys nobody can read them. */
export async function forgetDocs(): Promise<void> {
  const known = await indexedDB.databases().catch(() => []);
  for (const { name } of known) if (name?.startsWith(PREFIX) === true) indexedDB.deleteDatabase(name);
}

/** Its handler for updates and its opening, by the names they have in the version that the lockfile pins. */
function guard(kept: IndexeddbPersistence, onFault: (thrown: unknown) => void): void {
  // oxlint-disable no-underscore-dangle -- reason: it offers neither under a name of its own
  const store = kept._storeUpdate;
  kept.doc.off('update', store);
  const guarded = (update: Uint8Array, origin: unknown): void => {
    try {
      store(update, origin);
    } catch (thrown) {
      // The database was closed under it: what it does not keep is sent again by the relay.
      onFault(thrown);
    }
  };
  kept._storeUpdate = guarded;
  kept.doc.on('update', guarded);
  // A database that cannot be opened rejects here, and nobody else listens.
  kept._db.catch(onFault);
  // oxlint-enable no-underscore-dangle
}
