import { Worker } from 'node:worker_threads';
import { CountersignError, messageOf } from '../../src/base/errors.ts';
import { Gathering } from './gathering.ts';
import type { RelayStore, StoredHead, StoredRoom } from './store.ts';
import type { ThreadAnswer, ThreadRequest } from './thread-messages.ts';

/**
 * A store in one SQLite database under `folder`, which is made when it is missing. A thread of its own waits for the
 * disk, so that a commit delays no message.
 *
 * Throws: `held-elsewhere` when another relay has it open; `too-new`; `full`; `denied`; `storage` when it is damaged.
 */
export async function openSqliteStore(folder: string): Promise<RelayStore> {
  const thread = new StoreThread(folder);
  await thread.opened;
  const gathering = new Gathering((batch) => thread.ask({ do: 'append', batch }));
  const ask = async <T>(request: ThreadRequest): Promise<T> => {
    // reason: the thread answers each request with what the port promises; a contract suite runs over it
    return (await gathering.inTurn(() => thread.ask(request))) as T;
  };
  return {
    append: (room, owner, update) => gathering.append(room, owner, update),
    load: (room) => ask<StoredRoom | undefined>({ do: 'load', room }),
    compact: (room, state) => ask<void>({ do: 'compact', room, state }),
    drop: (room) => ask<number>({ do: 'drop', room }),
    roomsOf: (owner) => ask<readonly string[]>({ do: 'roomsOf', owner }),
    heads: () => ask<readonly StoredHead[]>({ do: 'heads' }),
    putHead: (head) => ask<boolean>({ do: 'putHead', head }),
    putObject: (path, owner, bytes) => ask<'stored' | 'same' | 'differs'>({ do: 'putObject', path, owner, bytes }),
    object: (path) => ask<Uint8Array | undefined>({ do: 'object', path }),
    dropObject: (path) => ask<number>({ do: 'dropObject', path }),
    totals: () => ask<ReadonlyMap<string, number>>({ do: 'totals' }),
    wipe: () => ask<void>({ do: 'wipe' }),
    close: () => thread.close(() => ask<void>({ do: 'close' })),
  };
}

interface Asker {
  readonly resolve: (value: unknown) => void;
  readonly reject: (why: unknown) => void;
}

/** The other side of `sqlite-thread.ts`. Answers come in the order of the requests. */
class StoreThread {
  readonly opened: Promise<unknown>;
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  readonly #askers: Asker[] = [];
  #gone: CountersignError | undefined;

  constructor(folder: string) {
    this.#worker = startThread(folder);
    this.opened = new Promise((resolve, reject) => this.#askers.push({ resolve, reject }));
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer));
    this.#worker.on('error', (thrown) => this.#end(`The relay's store stopped: ${messageOf(thrown)}.`));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end('The store is closed.');
        resolve();
      });
    });
  }

  ask(request: ThreadRequest): Promise<unknown> {
    if (this.#gone !== undefined) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      this.#askers.push({ resolve, reject });
      this.#worker.postMessage(request, request.do === 'append' ? [request.batch.bytes.buffer as ArrayBuffer] : []); // reason: a batch's bytes are made for it, in an ArrayBuffer of their own
    });
  }

  async close(say: () => Promise<void>): Promise<void> {
    if (this.#gone === undefined) await say();
    this.#gone ??= new CountersignError('closed', 'The store is closed.');
    await this.#ended;
  }

  #take(answer: ThreadAnswer): void {
    const asker = this.#askers.shift();
    if (answer.ok) asker?.resolve(answer.value);
    else asker?.reject(new CountersignError(answer.code, answer.message));
  }

  #end(why: string): void {
    this.#gone ??= new CountersignError(why.includes('closed') ? 'closed' : 'storage', why);
    for (const asker of this.#askers.splice(0)) asker.reject(this.#gone);
  }
}

/** From source, as tests and scripts run, the thread needs the loader that this thread has. */
function startThread(folder: string): Worker {
  const compiled = import.meta.url.endsWith('.js');
  const file = new URL(`./sqlite-thread.${compiled ? 'js' : 'ts'}`, import.meta.url);
  if (compiled) return new Worker(file, { workerData: folder });
  const start = `import('tsx/esm/api').then((tsx) => { tsx.register(); return import(${JSON.stringify(file.href)}); })`;
  return new Worker(start, { eval: true, workerData: folder });
}
