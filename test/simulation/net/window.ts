import type { Clock } from '../../../src/base/clock.ts';
import type { Random } from '../../../src/base/random.ts';
import type { Crypto } from '../../../src/crypto/ports.ts';
import type { DeviceId } from '../../../src/model/ids.ts';
import { openReplica } from '../../../src/replica/index.ts';
import type { DocCache, KeyMaker, Leader, OpenBus } from '../../../src/replica/ports.ts';
import type { Replica } from '../../../src/replica/types.ts';
import { SimClient } from './client.ts';
import type { SimRelay } from './relay.ts';
import { storageOf, type SimDisk } from './storage.ts';

export interface SimWindowOptions {
  readonly name: string;
  readonly device: DeviceId;
  readonly relay: SimRelay;
  readonly disk: SimDisk;
  readonly cache: DocCache;
  readonly leader: Leader;
  readonly bus: OpenBus;
  readonly keys: KeyMaker;
  readonly crypto: Crypto;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFault: (thrown: unknown) => void;
  readonly onEnded: (window: SimWindow) => void;
}

/** One window of a device, with a real replica in it, that may end at any moment. */
export class SimWindow {
  readonly name: string;
  client: SimClient | undefined;
  /** Absent while it opens, and when it has ended. */
  replica: Replica | undefined;
  readonly #options: SimWindowOptions;
  readonly #releases = new Set<() => void>();
  readonly #ended: Promise<void>;
  #end: () => void = () => undefined;
  #over = false;

  constructor(options: SimWindowOptions) {
    this.name = options.name;
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#open().catch((thrown: unknown) => this.#fault(thrown));
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** Resolves when it has ended. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** The person closes it: what it holds is let go of in order. */
  async close(): Promise<void> {
    const { replica } = this;
    this.replica = undefined;
    await replica?.close();
    this.kill();
  }

  /** The process is no more: nothing it had begun goes on, and nobody is told. */
  kill(): void {
    if (this.#over) return;
    this.#over = true;
    this.replica = undefined;
    this.client?.kill();
    for (const release of this.#releases) release();
    this.#end();
    this.#options.onEnded(this);
  }

  async #open(): Promise<void> {
    const { bus, cache, crypto, disk, keys, leader, random } = this.#options;
    const replica = await openReplica({
      storage: storageOf(disk, () => this.#over),
      cache,
      leader: {
        ask: (name, lead) => this.#releasable(leader.ask(name, () => (this.#over ? undefined : lead()))),
      },
      bus: (name, hear) => {
        const opened = bus(name, (what) => (this.#over ? undefined : hear(what)));
        const close = this.#releasable(() => opened.close());
        return { tell: (what) => (this.#over ? undefined : opened.tell(what)), close };
      },
      keys,
      connect: ({ identity, knownHead }) => {
        const { device, name, relay } = this.#options;
        const { verify } = crypto;
        const onFault = (thrown: unknown): void => this.#fault(thrown);
        const clock = this.#clock();
        this.client = new SimClient({
          relay,
          name,
          device,
          identity,
          verify,
          known: knownHead,
          clock,
          random,
          onFault,
        });
        return this.client;
      },
      crypto,
      clock: this.#clock(),
      random,
      onFault: (thrown) => this.#fault(thrown),
    });
    if (!this.#over) this.replica = replica;
  }

  /** What a process asks for that is no more is let go of at once: nobody else would. */
  #releasable(release: () => void): () => void {
    if (this.#over) {
      release();
      return () => undefined;
    }
    const once = (): void => {
      if (this.#releases.delete(once)) release();
    };
    this.#releases.add(once);
    return once;
  }

  #clock(): Clock {
    const { clock } = this.#options;
    return {
      nowMs: () => clock.nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, run) => (this.#over ? () => undefined : clock.after(delayMs, run)),
      soon: (run) => (this.#over ? undefined : clock.soon(run)),
    };
  }

  #fault(thrown: unknown): void {
    if (!this.#over) this.#options.onFault(thrown);
  }
}
