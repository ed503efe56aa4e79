import type { Doc } from 'yjs';
import { headWord, toSubprotocols, type Credentials } from '../access/credentials.ts';
import type { Json, JsonObject } from '../base/canonical-json.ts';
import type { Cancel } from '../base/clock.ts';
import { isForeign } from './author-check.ts';
import type { JoinOptions, LinkState, RoomLink, SnapshotStore } from './contract.ts';
import { Exchange, FOREIGN } from './exchange.ts';
import type { HeadIntake } from './head-feed.ts';
import { Intake } from './intake.ts';
import { LinkLife, type Turn } from './link-life.ts';
import { Liveness } from './liveness.ts';
import { Listeners } from './listeners.ts';
import { endReasonOf, LOCAL_CODES } from './next-attempt.ts';
import type { SyncPorts } from './ports.ts';
import { Presence } from './presence.ts';
import { quietProvider, type QuietProvider } from './provider.ts';
import { readable } from './readable.ts';
import { relayReasonOf } from './relay-error.ts';
import { isElsewhere } from './whereabouts.ts';

export interface LinkParts {
  readonly relayUrl: string;
  readonly ports: SyncPorts;
  readonly tireless: boolean;
  readonly head: HeadIntake;
  readonly snapshots: SnapshotStore;
  readonly credentials: (room: string) => Promise<Credentials>;
  readonly token: string | undefined;
  readonly onFault: (thrown: unknown) => void;
  readonly onClosed: () => void;
}

/** A document and its room at the relay, kept together until it is closed. */
export class LiveLink implements RoomLink {
  readonly room: string;
  readonly doc: Doc;
  readonly #options: JoinOptions;
  readonly #parts: LinkParts;
  readonly #states: Listeners<LinkState>;
  readonly #intake: Intake;
  readonly #presence: Presence;
  readonly #exchange: Exchange;
  readonly #provider: QuietProvider;
  readonly #life: LinkLife;
  readonly #liveness: Liveness;

  constructor(options: JoinOptions, parts: LinkParts) {
    const { doc, role, room } = options;
    const { onFault, ports } = parts;
    this.room = room;
    this.doc = doc;
    this.#options = options;
    this.#parts = parts;
    this.#states = new Listeners(onFault);
    this.#intake = new Intake(room, doc, { random: ports.random, onFault });
    this.#presence = new Presence(doc, ports.clock, onFault);
    this.#exchange = new Exchange({
      doc,
      role,
      intake: this.#intake,
      presence: this.#presence,
      send: (frame) => this.#provider.socket()?.send(frame),
      putSnapshot: (state) => parts.snapshots.put(room, state),
      onFailed: (thrown) => this.#abandon(thrown),
      onSynced: () => this.#life.synced(),
      onDamaged: (why) => this.#damaged(why),
      onHead: (json) => void parts.head.take(json),
    });
    this.#provider = this.#makeProvider();
    this.#liveness = new Liveness({
      clock: ports.clock,
      ask: () => this.#presence.renew(),
      onDead: () => this.#provider.socket()?.end(LOCAL_CODES.unreachable),
    });
    this.#life = new LinkLife({
      clock: ports.clock,
      random: ports.random,
      tireless: parts.tireless,
      asksAgain: role !== 'author',
      connect: (turn) => this.#connect(turn),
      askHead: (turn) => this.#askHead(turn),
      onState: (state) => this.#states.tell(state),
      onFault,
    });
    this.#life.start();
  }

  state(): LinkState {
    return this.#life.state();
  }

  subscribe(listener: (state: LinkState) => void): Cancel {
    return this.#states.add(listener);
  }

  present(value: JsonObject): void {
    this.#presence.say(value);
  }

  presences(): readonly Json[] {
    return this.#presence.others();
  }

  subscribePresences(listener: (presences: readonly Json[]) => void): Cancel {
    return this.#presence.subscribe(listener);
  }

  durable(): Promise<void> {
    return this.#exchange.durable();
  }

  reconnect(): void {
    this.#life.again();
  }

  close(): void {
    if (this.state().state === 'closed') return;
    this.#life.close();
    this.#liveness.stop();
    this.#provider.destroy();
    this.#exchange.close();
    this.#presence.destroy();
    this.#parts.onClosed();
  }

  #makeProvider(): QuietProvider {
    const { onFault, ports, relayUrl } = this.#parts;
    return quietProvider({
      relayUrl,
      room: this.room,
      doc: this.doc,
      presence: this.#presence,
      webSocket: ports.webSocket,
      handlers: this.#exchange.handlers,
      gate: {
        clock: ports.clock,
        opened: () => this.#opened(),
        incoming: (frame) => {
          this.#liveness.heard();
          return this.#exchange.incoming(frame);
        },
        outgoing: (frame) => this.#exchange.outgoing(frame),
        fault: (thrown) => {
          // What the relay did wrong is in the state; anything else is somebody's mistake here.
          if (relayReasonOf(thrown) === undefined) onFault(thrown);
        },
      },
      onClosed: (code) => {
        this.#quiet();
        this.#life.ended(endReasonOf(code));
      },
    });
  }

  async #connect(turn: Turn): Promise<void> {
    if (this.#options.role === 'reader' && isEmpty(this.doc)) await this.#load(turn);
    if (turn.isOver()) return;
    const { credentials, head, token } = this.#parts;
    const asked = [...toSubprotocols(await credentials(this.room))];
    if (turn.isOver()) return;
    const known = head.newest();
    if (known !== undefined) asked.push(headWord(known.signed));
    if (token !== undefined) asked.push(`token.${token}`);
    this.#provider.connect(asked);
  }

  async #load(turn: Turn): Promise<void> {
    const snapshot = await this.#parts.snapshots.get(this.room, (bytes, bytesMax) => {
      if (!turn.isOver()) this.#life.loading(bytes, bytesMax);
    });
    if (turn.isOver()) return;
    const why = snapshot === undefined ? undefined : this.#takeSnapshot(snapshot);
    if (why === undefined) this.#life.loaded();
    else this.#damaged(why);
  }

  /** Why the snapshot was not taken. */
  #takeSnapshot(snapshot: Uint8Array): string | undefined {
    if (this.#options.role === 'author') return readable(() => isForeign(this.doc, snapshot)) ? FOREIGN : undefined;
    const taken = this.#intake.take(snapshot, this);
    // Nothing follows a snapshot that could bring what it waits for.
    this.#intake.forgetWaiting();
    return taken.taken ? undefined : taken.why;
  }

  async #askHead(turn: Turn): Promise<'elsewhere' | 'loaded'> {
    const newest = await this.#parts.head.refresh();
    if (newest !== undefined && isElsewhere(newest.head, this.room)) return 'elsewhere';
    if (!turn.isOver()) await this.#load(turn);
    return 'loaded';
  }

  #opened(): void {
    this.#exchange.reset();
    this.#liveness.start();
    this.#life.opened();
  }

  /** There is no socket any more. */
  #quiet(): void {
    this.#liveness.stop();
    this.#exchange.reset();
  }

  /** What has to be done beside the socket failed: a new one begins where the relay is. */
  #abandon(thrown: unknown): void {
    this.#provider.disconnect();
    this.#quiet();
    this.#life.failed(thrown);
  }

  #damaged(why: string): void {
    if (this.state().state === 'damaged') return;
    this.#life.damaged(why);
    this.#provider.disconnect();
    this.#quiet();
    try {
      this.#options.onDamaged?.(why);
    } catch (thrown) {
      // Its owner's mistake; the link is over either way.
      this.#parts.onFault(thrown);
    }
  }
}

function isEmpty(doc: Doc): boolean {
  return doc.store.clients.size === 0;
}
