import { CountersignError } from '../src/base/errors.ts';
import type { Quota } from './quota.ts';
import type { RelayStore } from './storage/store.ts';

export interface RoomStorageParts {
  readonly room: string;
  readonly store: RelayStore;
  readonly quota: Quota;
  /** The disk had no room for changes that were taken already. */
  readonly onLost: () => void;
  /** It is not known what is on the disk. */
  readonly onFatal: (cause: unknown) => void;
}

const COMPACT_LIMITS = {
  /** Bytes and changes after the newest state that are kept apart from it: what a start has to read one by one. */
  tailBytesMin: 512 * 1024,
  tailChangesMax: 10_000,
  /** Changes that are worth a state when a room goes to sleep. */
  tailChangesAtRest: 64,
} as const;

/** One room's share of the store: appends in order, and knows when a state should take the place of many changes. */
export class RoomStorage {
  readonly #parts: RoomStorageParts;
  #owner: string;
  #stateBytes = 0;
  #tailBytes = 0;
  #tailChanges = 0;
  /** The newest commit that has something of this room. */
  #batch: Promise<void> = Promise.resolve();
  #batchBytes = 0;

  constructor(parts: RoomStorageParts, owner: string) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /** Kept when everything that was appended is on the disk. Never rejects before `onLost` or `onFatal` was called. */
  get stored(): Promise<void> {
    return this.#batch;
  }

  get stateBytes(): number {
    return this.#stateBytes;
  }

  /** Nobody ever wrote the room, as far as the disk knows. */
  get isBlank(): boolean {
    return this.#stateBytes + this.#tailBytes === 0;
  }

  async load(): Promise<readonly Uint8Array[]> {
    const stored = await this.#parts.store.load(this.#parts.room);
    if (stored === undefined) return [];
    this.#owner = stored.owner;
    const [state, ...tail] = stored.updates;
    this.#stateBytes = state?.length ?? 0;
    this.#tailChanges = tail.length;
    this.#tailBytes = tail.reduce((sum, update) => sum + update.length, 0);
    return stored.updates;
  }

  allows(bytes: number): boolean {
    return this.#parts.quota.allows(this.#owner, bytes);
  }

  append(update: Uint8Array): Promise<void> {
    const { quota, room, store } = this.#parts;
    const batch = store.append(room, this.#owner, update);
    if (batch !== this.#batch) {
      this.#batch = batch;
      this.#batchBytes = 0;
      this.#watch(batch);
    }
    this.#batchBytes += update.length;
    this.#tailBytes += update.length;
    this.#tailChanges += 1;
    quota.add(this.#owner, update.length);
    return batch;
  }

  wantsState(atRest: boolean): boolean {
    if (atRest) return this.#tailChanges >= COMPACT_LIMITS.tailChangesAtRest;
    const { tailBytesMin, tailChangesMax } = COMPACT_LIMITS;
    return this.#tailChanges >= tailChangesMax || this.#tailBytes >= Math.max(tailBytesMin, this.#stateBytes);
  }

  /** Puts the document's state in the place of everything appended so far, which it must hold. */
  async compact(state: Uint8Array): Promise<void> {
    const { onFatal, quota, room, store } = this.#parts;
    const before = this.#stateBytes + this.#tailBytes;
    this.#stateBytes = state.length;
    this.#tailBytes = 0;
    this.#tailChanges = 0;
    try {
      await store.compact(room, state);
      quota.add(this.#owner, state.length - before);
    } catch (thrown) {
      // Without room for the state everything stays as it is on the disk; a later one may fit.
      if (!isLack(thrown)) onFatal(thrown);
    }
  }

  async drop(): Promise<void> {
    const { onFatal, quota, room, store } = this.#parts;
    try {
      quota.add(this.#owner, -(await store.drop(room)));
    } catch (thrown) {
      if (!isLack(thrown)) onFatal(thrown);
    }
  }

  /** One look at each commit, however many changes share it. */
  #watch(batch: Promise<void>): void {
    const { onFatal, onLost, quota } = this.#parts;
    batch.catch((thrown: unknown) => {
      if (!isLack(thrown)) return onFatal(thrown);
      if (batch === this.#batch) quota.add(this.#owner, -this.#batchBytes);
      onLost();
    });
  }
}

/** Nothing was stored, and the reason is not the disk's health: no room, or a store that was closed on purpose. */
export function isLack(thrown: unknown): boolean {
  return CountersignError.is(thrown) && (thrown.code === 'full' || thrown.code === 'closed');
}
