import * as Y from 'yjs';
import type { Json, JsonObject } from '../../src/base/canonical-json.ts';
import { CountersignError } from '../../src/base/errors.ts';
import type { HeadOddity, JoinOptions, LinkState, OpenedHead, RelayClient, RoomLink } from '../../src/sync/contract.ts';

/**
 * A relay in this process whose messages move only when they are told to: one queue a link, so that a test chooses
 * whose comes next, and each keeps its order. Who is cut off hears nothing until it is joined again.
 */
export class RelayHub {
  readonly rooms = new Map<string, Y.Doc>();
  readonly presences = new Map<string, readonly Json[]>();
  readonly objects = new Map<string, () => Uint8Array>();
  readonly #links = new Set<HubLink>();
  readonly #cut = new Set<string>();
  readonly #clients = new Map<string, HubHead>();
  #head: OpenedHead | undefined;
  #isWithheld: (room: string) => boolean = () => false;

  isCut(who: string): boolean {
    return this.#cut.has(who);
  }

  cut(who: string): void {
    this.#cut.add(who);
    for (const link of this.#links) if (link.who === who) link.drop();
  }

  join(who: string): void {
    if (!this.#cut.delete(who)) return;
    for (const link of this.#links) if (link.who === who) link.connect();
    this.#clients.get(who)?.take(this.#head);
  }

  /** Moves one message; `pick` chooses among the links that have any. False when nothing is on its way. */
  step(pick: (count: number) => number = () => 0): boolean {
    const ready = [...this.#links].filter((link) => link.queue.length > 0);
    const link = ready[pick(ready.length)];
    const move = link?.queue.shift();
    move?.();
    return move !== undefined;
  }

  flush(): void {
    while (this.step());
  }

  room(name: string): Y.Doc {
    const known = this.rooms.get(name);
    if (known !== undefined) return known;
    const doc = new Y.Doc();
    this.rooms.set(name, doc);
    doc.on('update', (update: Uint8Array, origin: unknown) => {
      for (const link of this.#links)
        if (link.room === name && link !== origin && !this.#isWithheld(name))
          link.send(() => Y.applyUpdate(link.doc, update, this));
    });
    return doc;
  }

  /** Rooms whose contents it keeps to itself, while it answers as if there were none. */
  withhold(which: (room: string) => boolean): void {
    this.#isWithheld = which;
  }

  isWithheld(room: string): boolean {
    return this.#isWithheld(room);
  }

  /** Every link of a room finds that what comes makes no sense. */
  damage(room: string, why: string): void {
    for (const link of this.#links) if (link.room === room) link.damage(why);
  }

  /** Links that found something wrong look again. */
  mend(room: string): void {
    for (const link of this.#links) if (link.room === room) link.reconnect();
  }

  show(room: string, value: Json): void {
    this.presences.set(room, [value]);
    for (const link of this.#links) if (link.room === room) link.send(() => link.tellPresences());
  }

  setHead(head: OpenedHead): void {
    this.#head = head;
    for (const [who, feed] of this.#clients) if (!this.#cut.has(who)) feed.take(head);
  }

  get head(): OpenedHead | undefined {
    return this.#head;
  }

  /** Everything the relay had is gone. */
  wipe(): void {
    this.rooms.clear();
    this.objects.clear();
  }

  client(who: string, device: string): RelayClient {
    const feed = new HubHead(() => {
      if (this.#cut.has(who)) throw new CountersignError('closed', 'The relay cannot be reached.');
      return this.#head;
    });
    this.#clients.set(who, feed);
    const own = new Set<HubLink>();
    return {
      relayUrl: 'ws://hub',
      head: feed,
      objects: {
        get: async (path) => {
          if (this.#cut.has(who)) throw new CountersignError('closed', 'The relay cannot be reached.');
          const read = this.objects.get(path);
          if (read === undefined) throw new CountersignError('not-found', 'The relay has not got it.');
          return read();
        },
        put: async () => undefined,
        delete: async () => undefined,
      },
      snapshots: { get: async () => undefined, put: async () => undefined },
      credentials: () => Promise.reject(new CountersignError('denied', 'A hub asks for none.')),
      join: (options) => {
        const link = new HubLink(this, who, device, options, () => {
          this.#links.delete(link);
          own.delete(link);
        });
        this.#links.add(link);
        own.add(link);
        link.connect();
        return link;
      },
      publish: () => {
        throw new Error('a device publishes nothing');
      },
      reconnect: () => undefined,
      close: () => {
        for (const link of own) link.close();
        if (this.#clients.get(who) === feed) this.#clients.delete(who);
      },
    };
  }
}

class HubLink implements RoomLink {
  readonly room: string;
  readonly doc: Y.Doc;
  readonly who: string;
  readonly queue: (() => void)[] = [];
  readonly #hub: RelayHub;
  readonly #options: JoinOptions;
  readonly #onClosed: () => void;
  readonly #listeners = new Set<(state: LinkState) => void>();
  readonly #ears = new Set<(presences: readonly Json[]) => void>();
  readonly #sent = (update: Uint8Array, origin: unknown): void => {
    if (origin !== this.#hub && this.#state.state === 'online')
      this.send(() => Y.applyUpdate(this.#hub.room(this.room), update, this));
  };
  #waiting: { readonly resolve: () => void; readonly reject: (why: unknown) => void }[] = [];
  #state: LinkState = { state: 'connecting' };

  constructor(hub: RelayHub, who: string, device: string, options: JoinOptions, onClosed: () => void) {
    this.#hub = hub;
    this.who = who;
    this.#options = options;
    this.#onClosed = onClosed;
    this.room = options.room;
    this.doc = options.doc;
    if (options.role === 'writer') {
      if (!options.room.endsWith(`/${device}`)) throw new Error(`${device} may not write ${options.room}`);
      this.doc.on('update', this.#sent);
    }
  }

  send(move: () => void): void {
    if (this.#state.state === 'online' || this.#state.state === 'connecting') this.queue.push(move);
  }

  connect(): void {
    if (this.#state.state === 'closed' || this.#hub.isCut(this.who)) {
      this.drop();
      return;
    }
    this.queue.length = 0;
    this.#set({ state: 'connecting' });
    this.queue.push(() => {
      const there = this.#hub.isWithheld(this.room) ? new Y.Doc() : this.#hub.room(this.room);
      Y.applyUpdate(this.doc, Y.encodeStateAsUpdate(there, Y.encodeStateVector(this.doc)), this.#hub);
      if (this.#options.role === 'writer')
        Y.applyUpdate(there, Y.encodeStateAsUpdate(this.doc, Y.encodeStateVector(there)), this);
      this.#set({ state: 'online', synced: true });
      this.tellPresences();
    });
  }

  drop(): void {
    if (this.#state.state === 'closed') return;
    this.queue.length = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(new CountersignError('closed', 'The link has ended.'));
    this.#set({ state: 'waiting', untilMs: 0, reason: 'unreachable', sentence: 'The relay cannot be reached.' });
  }

  damage(why: string): void {
    this.drop();
    this.#set({ state: 'damaged', sentence: why });
    this.#options.onDamaged?.(why);
  }

  state(): LinkState {
    return this.#state;
  }

  subscribe(listener: (state: LinkState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  present(_value: JsonObject): void {
    return;
  }

  presences(): readonly Json[] {
    return this.#state.state === 'online' ? (this.#hub.presences.get(this.room) ?? []) : [];
  }

  subscribePresences(listener: (presences: readonly Json[]) => void): () => void {
    this.#ears.add(listener);
    return () => this.#ears.delete(listener);
  }

  tellPresences(): void {
    for (const ear of this.#ears) ear(this.presences());
  }

  durable(): Promise<void> {
    if (this.#state.state !== 'online') return Promise.reject(new CountersignError('closed', 'The link has ended.'));
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject };
      this.#waiting.push(waiting);
      this.queue.push(() => {
        this.#waiting = this.#waiting.filter((each) => each !== waiting);
        resolve();
      });
    });
  }

  reconnect(): void {
    if (this.#state.state !== 'online') this.connect();
  }

  close(): void {
    this.drop();
    this.doc.off('update', this.#sent);
    this.#set({ state: 'closed' });
    this.#listeners.clear();
    this.#ears.clear();
    this.#onClosed();
  }

  #set(state: LinkState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

class HubHead {
  readonly #ask: () => OpenedHead | undefined;
  readonly #listeners = new Set<(head: OpenedHead) => void>();
  readonly #odd = new Set<(oddity: HeadOddity) => void>();
  #newest: OpenedHead | undefined;

  constructor(ask: () => OpenedHead | undefined) {
    this.#ask = ask;
  }

  take(head: OpenedHead | undefined): void {
    if (head === undefined) return;
    this.#newest = head;
    for (const listener of this.#listeners) listener(head);
  }

  newest(): OpenedHead | undefined {
    return this.#newest;
  }

  subscribe(listener: (head: OpenedHead) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  subscribeOddities(listener: (oddity: HeadOddity) => void): () => void {
    this.#odd.add(listener);
    return () => this.#odd.delete(listener);
  }

  async refresh(): Promise<OpenedHead | undefined> {
    this.take(this.#ask());
    return this.#newest;
  }

  async put(): Promise<void> {
    throw new CountersignError('denied', 'Only the home puts a head.');
  }
}
