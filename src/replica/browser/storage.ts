import type { WorkspaceId } from '../../model/ids.ts';
import { REPLICA_LIMITS } from '../limits.ts';
import { outboxFull } from '../memory.ts';
import type { BlobStore, ChainEnd, FactStore, IdentityStore, OutboxStore, ReplicaStorage } from '../ports.ts';
import { openDatabase, stored, type Database } from './database.ts';

/** A promise that is kept only once the browser has it on the disk. */
const STRICT = { durability: 'strict' } as const;

/**
 * The storage of a page: one database for all windows of its origin. Whatever must not be lost is written in strict
 * transactions, and counts as saved from their `complete` event.
 *
 * Throws: as `openDatabase`.
 */
export async function browserStorage(name: string): Promise<ReplicaStorage> {
  const db = await openDatabase(name);
  return {
    identity: identityIn(db),
    outbox: outboxIn(db),
    facts: factsIn(db),
    blobs: blobsIn(db),
    volatile: async () => null,
    clear: () => clearAll(db),
    close: () => db.close(),
  };
}

function clearAll(db: Database): Promise<void> {
  return stored(async () => {
    const stores = [...db.objectStoreNames];
    const tx = db.transaction(stores, 'readwrite', STRICT);
    await Promise.all([...stores.map((name) => tx.objectStore(name).clear()), tx.done]);
  });
}

function identityIn(db: Database): IdentityStore {
  return {
    load: () => stored(() => db.get('identity', 'self')),
    save: (identity) =>
      stored(async () => {
        const tx = db.transaction('identity', 'readwrite', STRICT);
        await Promise.all([tx.store.put(identity, 'self'), tx.done]);
      }),
  };
}

function outboxIn(db: Database): OutboxStore {
  return {
    read: () =>
      stored(async () => {
        const tx = db.transaction(['outbox', 'refused']);
        const [waiting, refused] = await Promise.all([
          tx.objectStore('outbox').getAll(),
          tx.objectStore('refused').getAll(),
        ]);
        return { waiting, refused };
      }),
    end: (workspace) => stored(async () => (await db.get('ends', workspace)) ?? NOTHING),
    append: (workspace, after, entries) =>
      stored(async () => {
        // Look and write are one transaction, and nothing but the database is waited for in it.
        const tx = db.transaction(['outbox', 'ends'], 'readwrite', STRICT);
        const ends = tx.objectStore('ends');
        const outbox = tx.objectStore('outbox');
        const [end = NOTHING, count] = await Promise.all([ends.get(workspace), outbox.count()]);
        const last = entries.at(-1);
        const fits = count + entries.length <= REPLICA_LIMITS.waitingMax;
        if (end.n !== after.n || end.hash !== after.hash || last === undefined || !fits) {
          tx.abort();
          await tx.done.catch(() => undefined); // It was aborted here.
          if (!fits) throw outboxFull();
          return false;
        }
        const puts = entries.map((entry) => outbox.put(entry, [entry.workspace, entry.n]));
        await Promise.all([...puts, ends.put({ n: last.n, hash: last.hash }, workspace), tx.done]);
        return true;
      }),
    markSent: (keys) =>
      stored(async () => {
        const tx = db.transaction('outbox', 'readwrite', STRICT);
        await whole(tx, async () => {
          for (const { n, workspace } of keys) {
            const entry = await tx.store.get([workspace, n]);
            if (entry !== undefined) await tx.store.put({ ...entry, state: 'sent' }, [workspace, n]);
          }
        });
      }),
    settle: ({ n, workspace }, answer) =>
      stored(async () => {
        const tx = db.transaction(['outbox', 'refused'], 'readwrite', STRICT);
        const key: [WorkspaceId, number] = [workspace, n];
        const refused = tx.objectStore('refused');
        await whole(tx, async () => {
          if ((await tx.objectStore('outbox').get(key)) === undefined) return;
          await tx.objectStore('outbox').delete(key);
          if (answer !== null) await refused.add(answer);
          const keys = await refused.getAllKeys();
          for (const old of keys.slice(0, -REPLICA_LIMITS.refusedMax)) await refused.delete(old);
        });
      }),
  };
}

function factsIn(db: Database): FactStore {
  return {
    get: (key) => stored(() => db.get('facts', key)),
    raise: (key, fact) =>
      stored(async () => {
        const tx = db.transaction('facts', 'readwrite', STRICT);
        return whole(tx, async () => {
          const kept = await tx.store.get(key);
          if (kept !== undefined && kept.number >= fact.number) return kept;
          await tx.store.put(fact, key);
          return fact;
        });
      }),
  };
}

function blobsIn(db: Database): BlobStore {
  return {
    list: () =>
      stored(async () => {
        const tx = db.transaction('blobSizes');
        const [addresses, sizes] = await Promise.all([tx.store.getAllKeys(), tx.store.getAll()]);
        return addresses.map((address, at) => ({ address, bytes: sizes[at] ?? 0 }));
      }),
    get: (address) => stored(() => db.get('blobs', address)),
    async put(address, sealed) {
      const tx = db.transaction(['blobs', 'blobSizes'], 'readwrite');
      const puts = [
        tx.objectStore('blobs').put(sealed, address),
        tx.objectStore('blobSizes').put(sealed.length, address),
      ];
      // A full disk: it is fetched again when it is needed.
      await Promise.all([...puts, tx.done]).catch(() => undefined);
    },
    drop: (addresses) =>
      stored(async () => {
        const tx = db.transaction(['blobs', 'blobSizes'], 'readwrite');
        await whole(tx, async () => {
          for (const address of addresses) {
            await tx.objectStore('blobs').delete(address);
            await tx.objectStore('blobSizes').delete(address);
          }
        });
      }),
  };
}

/** Kept when the transaction is complete. `work` waits for nothing but its requests. */
async function whole<T>(tx: { readonly done: Promise<void> }, work: () => Promise<T>): Promise<T> {
  const [result] = await Promise.all([work(), tx.done]);
  return result;
}

const NOTHING: ChainEnd = { n: 0, hash: null };
