import * as Y from 'yjs';
import { memoryStorage } from '../../../src/replica/index.ts';
import type { DocCache, Fact, FactStore, OutboxStore, ReplicaStorage } from '../../../src/replica/ports.ts';
import type { Digest, WorkspaceId } from '../../../src/model/ids.ts';

/** What a device has told its person of one decision. */
export interface Promised {
  readonly hash: Digest;
  readonly kept: 'waiting' | 'receipted' | 'refused';
}

/** A device's disk, which outlives its windows, and what was promised on it. */
export interface SimDisk {
  readonly storage: ReplicaStorage;
  /** By number, for the one workspace there is. */
  readonly promised: ReadonlyMap<number, Promised>;
  /** What it keeps for good of what it has seen. */
  readonly facts: ReadonlyMap<string, Fact>;
  /** Grows when either is another one. */
  readonly changes: () => number;
}

export function simDisk(workspace: WorkspaceId): SimDisk {
  const inner = memoryStorage({ volatile: null });
  const promised = new Map<number, Promised>();
  const facts = new Map<string, Fact>();
  let changes = 0;
  const outbox: OutboxStore = {
    ...inner.outbox,
    async append(at, after, entries) {
      const appended = await inner.outbox.append(at, after, entries);
      changes += 1;
      if (appended && at === workspace) for (const { hash, n } of entries) promised.set(n, { hash, kept: 'waiting' });
      return appended;
    },
    async settle(key, refused) {
      await inner.outbox.settle(key, refused);
      changes += 1;
      const known = promised.get(key.n);
      if (known !== undefined && key.workspace === workspace)
        promised.set(key.n, { hash: known.hash, kept: refused === null ? 'receipted' : 'refused' });
    },
  };
  const factStore: FactStore = {
    ...inner.facts,
    async raise(key, fact) {
      const kept = await inner.facts.raise(key, fact);
      changes += 1;
      facts.set(key, kept);
      return kept;
    },
  };
  return { storage: { ...inner, facts: factStore, outbox }, promised, facts, changes: () => changes };
}

/** The disk as one window uses it: after its end nothing is written or answered any more. */
export function storageOf(disk: SimDisk, isOver: () => boolean): ReplicaStorage {
  const { blobs, facts, identity, outbox } = disk.storage;
  // An await that never returns is how a killed process goes on.
  const alive =
    <A extends readonly unknown[], R>(run: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      isOver() ? new Promise<R>(() => undefined) : run(...args);
  return {
    identity: { load: alive(identity.load), save: alive(identity.save) },
    outbox: {
      read: alive(outbox.read),
      end: alive(outbox.end),
      append: alive(outbox.append),
      markSent: alive(outbox.markSent),
      settle: alive(outbox.settle),
    },
    facts: { get: alive(facts.get), raise: alive(facts.raise) },
    blobs: { list: alive(blobs.list), get: alive(blobs.get), put: alive(blobs.put), drop: alive(blobs.drop) },
    volatile: alive(disk.storage.volatile),
    clear: alive(disk.storage.clear),
    close: () => undefined,
  };
}

/** A cache of documents that outlives windows, and can be lost at any time. */
export class SimCache implements DocCache {
  readonly #kept = new Map<string, Uint8Array[]>();

  attach(room: string, doc: Y.Doc) {
    const kept = this.#kept.get(room) ?? [];
    this.#kept.set(room, kept);
    let closed = false;
    const keep = (update: Uint8Array, origin: unknown): void => {
      if (origin !== this) kept.push(update);
    };
    doc.on('update', keep);
    const close = (): void => {
      closed = true;
      doc.off('update', keep);
    };
    // Never at once, like every disk.
    const load = async (): Promise<void> => {
      await Promise.resolve();
      if (!closed) for (const update of kept) Y.applyUpdate(doc, update, this);
    };
    return { loaded: load(), close };
  }

  forget(room: string): void {
    this.#kept.delete(room);
  }

  lose(): void {
    this.#kept.clear();
  }
}
