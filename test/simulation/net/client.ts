import * as Y from 'yjs';
import type { Clock } from '../../../src/base/clock.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import type { Random } from '../../../src/base/random.ts';
import type { Verify } from '../../../src/crypto/ports.ts';
import type { DeviceId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import type {
  HeadFeed,
  Identity,
  JoinOptions,
  ObjectStore,
  Publication,
  RelayClient,
  SnapshotStore,
} from '../../../src/sync/contract.ts';
import { openHeadFeed, type HeadIntake } from '../../../src/sync/head-feed.ts';
import type { HttpCall } from '../../../src/sync/http.ts';
import { relayReasonOf, unreachable } from '../../../src/sync/relay-error.ts';
import { openStores } from '../../../src/sync/stores.ts';
import { SimLink } from './link.ts';
import type { SimRelay } from './relay.ts';

interface Asked {
  readonly call: HttpCall;
  resolve(bytes: Uint8Array): void;
  reject(why: unknown): void;
}

export interface SimClientOptions {
  readonly relay: SimRelay;
  /** For the trace. */
  readonly name: string;
  /** `null`: the home itself. */
  readonly device: DeviceId | null;
  readonly identity: Identity;
  readonly verify: Verify;
  readonly known: SignedText | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFault: (thrown: unknown) => void;
}

/**
 * One process at the relay. Requests are answered in any order, links keep theirs, and pushed heads keep theirs. Head
 * feed and stores are the real ones; only what carries them is made up.
 */
export class SimClient implements RelayClient {
  readonly relayUrl = 'ws://relay';
  readonly relay: SimRelay;
  readonly name: string;
  readonly device: DeviceId | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly onFault: (thrown: unknown) => void;
  readonly links = new Set<SimLink>();
  readonly asked: Asked[] = [];
  readonly pushed: Uint8Array[] = [];
  readonly head: HeadFeed;
  readonly objects: ObjectStore;
  readonly snapshots: SnapshotStore;
  /** Where nothing gets through at present. */
  blocked: { up: boolean; down: boolean } = { up: false, down: false };
  /** Away: nothing can be reached, and it knows. */
  away = false;
  /** Messages move seldom. */
  slow = false;
  readonly #feed: HeadIntake;
  #ended = false;

  constructor(options: SimClientOptions) {
    const { clock, identity, known, onFault, random, relay, verify } = options;
    this.relay = relay;
    this.name = options.name;
    this.device = options.device;
    this.clock = clock;
    this.random = random;
    this.onFault = onFault;
    const tickets = { call: (call: HttpCall) => this.#ask(call) };
    this.#feed = openHeadFeed({ tickets, identity, verify, known, onFault });
    this.head = this.#feed;
    const { objects, snapshots } = openStores({ tickets, home: identity.home, ports: { clock, random } });
    this.objects = objects;
    this.snapshots = snapshots;
    relay.clients.add(this);
  }

  join(options: JoinOptions): SimLink {
    const link = new SimLink(this, options);
    this.links.add(link);
    link.connect();
    if (this.away) link.drop();
    return link;
  }

  publish(room: string, state: Uint8Array, options: { readonly onDamaged: (why: string) => void }): Publication {
    const doc = new Y.Doc();
    Y.applyUpdate(doc, state);
    const link = this.join({ room, doc, role: 'author', onDamaged: options.onDamaged });
    return {
      room,
      update: (update) => Y.applyUpdate(doc, update),
      present: (value) => link.present(value),
      state: () => link.state(),
      subscribe: (listener) => link.subscribe(listener),
      durable: () => link.durable(),
      close() {
        link.close();
        doc.destroy();
      },
    };
  }

  credentials(): Promise<never> {
    return Promise.reject(new CountersignError('denied', 'Here nobody asks for them.'));
  }

  reconnect(): void {
    for (const link of this.links) link.reconnect();
  }

  close(): void {
    for (const link of this.links) link.close();
    this.#end();
    for (const { reject } of this.asked.splice(0)) reject(unreachable('The connection to the relay was closed.'));
  }

  /** The process is no more: what it waited for never comes. */
  kill(): void {
    for (const link of this.links) link.vanish();
    this.#end();
    this.asked.length = 0;
  }

  pushHead(bytes: Uint8Array): void {
    if (!this.#ended && this.pushed.at(-1) !== bytes) this.pushed.push(bytes);
  }

  drop(): void {
    this.pushed.length = 0;
    for (const link of this.links) link.drop();
  }

  leave(): void {
    this.away = true;
    this.drop();
  }

  come(): void {
    this.away = false;
  }

  forbid(): void {
    for (const link of this.links) link.forbid();
  }

  stepAsked(at: number): string {
    const [asked] = this.asked.splice(at, 1);
    if (asked === undefined) return 'nothing';
    const { call } = asked;
    const what = `${call.method} ${call.path.slice(0, 3)}`;
    if (this.away || this.blocked.up || this.blocked.down) {
      asked.reject(unreachable('The relay cannot be reached.'));
      return `${what} lost`;
    }
    try {
      asked.resolve(this.relay.http(this, call));
      return what;
    } catch (thrown) {
      if (!CountersignError.is(thrown)) throw thrown;
      asked.reject(thrown);
      return `${what} ${thrown.code}`;
    }
  }

  /** Nobody knows whether it was heard. */
  loseAsked(at: number): void {
    const [asked] = this.asked.splice(at, 1);
    asked?.reject(unreachable('The relay did not answer.'));
  }

  stepPushed(): string {
    const bytes = this.pushed.shift();
    if (bytes === undefined) return 'nothing';
    return this.takeHead(bytes);
  }

  /** As a socket brings it; a socket that brings what no honest relay sends is ended. */
  takeHead(bytes: Uint8Array): string {
    try {
      const opened = this.#feed.take(bytes);
      return `head ${opened?.head.number ?? '-'}`;
    } catch (thrown) {
      if (relayReasonOf(thrown) === undefined) throw thrown;
      this.drop();
      return 'head forged';
    }
  }

  #ask(call: HttpCall): Promise<Uint8Array> {
    if (this.#ended) return Promise.reject(unreachable('The connection to the relay was closed.'));
    return new Promise((resolve, reject) => void this.asked.push({ call, resolve, reject }));
  }

  #end(): void {
    this.#ended = true;
    this.pushed.length = 0;
    this.relay.clients.delete(this);
  }
}
