import { CountersignError } from '../../src/base/errors.ts';
import type { Batch } from './sqlite-tables.ts';

interface Waiting {
  readonly rooms: string[];
  readonly owners: string[];
  readonly updates: Uint8Array[];
  readonly stored: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (why: unknown) => void;
}

/** Changes of one commit: they share one wait for the disk, and this many fit well into memory. */
const BATCH_CHANGES_MAX = 10_000;

/** Bytes of memory that are kept between two commits. */
const SPARE_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Group commit: one request at a time; changes that come while the disk is at work go together in the next one. A
 * change waits for nobody when the disk is idle, and at most for the commit before its own otherwise.
 */
export class Gathering {
  readonly #store: (batch: Batch) => Promise<unknown>;
  readonly #queue: (() => Promise<void>)[] = [];
  #newest: Waiting | undefined;
  #running = false;
  /** Memory of the commit before: the thread's own collector would seldom look for it. */
  #spare: Uint8Array = new Uint8Array(0);
  #failed: CountersignError | undefined;

  /** `store` may give the batch's bytes back, to be filled again. */
  constructor(store: (batch: Batch) => Promise<unknown>) {
    this.#store = store;
  }

  append(room: string, owner: string, update: Uint8Array): Promise<void> {
    const batch = this.#newest ?? this.#open();
    batch.rooms.push(room);
    batch.owners.push(owner);
    batch.updates.push(update);
    if (batch.updates.length >= BATCH_CHANGES_MAX) this.#newest = undefined;
    return batch.stored;
  }

  /** Does it after everything that was asked before, and before everything that is asked later. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#newest = undefined;
    return new Promise<T>((resolve, reject) => {
      this.#add(() => work().then(resolve, reject));
    });
  }

  #open(): Waiting {
    let resolve = (): void => undefined;
    let reject = (_why: unknown): void => undefined;
    const stored = new Promise<void>((keep, fail) => {
      resolve = keep;
      reject = fail;
    });
    const batch: Waiting = { rooms: [], owners: [], updates: [], stored, resolve, reject };
    this.#newest = batch;
    this.#add(() => this.#commit(batch));
    return batch;
  }

  #add(work: () => Promise<void>): void {
    this.#queue.push(work);
    if (this.#running) return;
    this.#running = true;
    // What else arrives in this turn of the event loop goes along.
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) await work();
    this.#running = false;
    this.#failed = undefined;
  }

  async #commit(batch: Waiting): Promise<void> {
    if (this.#newest === batch) this.#newest = undefined;
    // Later changes build on those that were not stored, and they were handed over before anybody knew.
    if (this.#failed !== undefined) return batch.reject(this.#failed);
    try {
      this.#spare = spareOf(await this.#store(batchOf(batch, this.#spare)));
      batch.resolve();
    } catch (thrown) {
      if (CountersignError.is(thrown)) this.#failed = thrown;
      batch.reject(thrown);
    }
  }
}

function batchOf({ owners, rooms, updates }: Waiting, spare: Uint8Array): Batch {
  let end = 0;
  const ends = updates.map((update) => (end += update.length));
  const bytes = spare.length >= end ? spare : new Uint8Array(end);
  for (const [at, update] of updates.entries()) bytes.set(update, ends[at - 1] ?? 0);
  return { rooms, owners, ends, bytes };
}

function spareOf(returned: unknown): Uint8Array {
  return returned instanceof Uint8Array && returned.length <= SPARE_BYTES_MAX ? returned : new Uint8Array(0);
}
