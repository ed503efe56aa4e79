import * as Y from 'yjs';
import type { Json, JsonObject } from '../../../src/base/canonical-json.ts';
import type { Cancel } from '../../../src/base/clock.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { isBeyond, isForeign } from '../../../src/sync/author-check.ts';
import type { JoinOptions, LinkState, RoomLink } from '../../../src/sync/contract.ts';
import { Intake } from '../../../src/sync/intake.ts';
import { LINK_LIMITS } from '../../../src/sync/link-limits.ts';
import type { SimClient } from './client.ts';

export type Up =
  | { readonly type: 'hello'; readonly stateVector: Uint8Array }
  | { readonly type: 'update'; readonly update: Uint8Array; readonly n: number }
  | { readonly type: 'show'; readonly value: Json };

export type Down =
  | { readonly type: 'answer'; readonly diff: Uint8Array; readonly stateVector: Uint8Array }
  | { readonly type: 'update'; readonly update: Uint8Array }
  | { readonly type: 'durable'; readonly through: number }
  | { readonly type: 'shown'; readonly values: readonly Json[] };

const FOREIGN = 'The relay holds changes of this document that this home never made.';
const UNREACHABLE = 'The relay cannot be reached.';

interface Waiter {
  /** Updates that must be stored; `undefined` until the relay has said what it holds. */
  through: number | undefined;
  resolve(): void;
  reject(why: unknown): void;
}

/**
 * A document and its room, with one queue each way whose messages move one at a time when the scheduler says so. What
 * comes goes through the guard that real links have.
 */
export class SimLink implements RoomLink {
  readonly room: string;
  readonly doc: Y.Doc;
  readonly client: SimClient;
  readonly up: Up[] = [];
  readonly down: Down[] = [];
  readonly #options: JoinOptions;
  readonly #intake: Intake;
  readonly #listeners = new Set<(state: LinkState) => void>();
  readonly #ears = new Set<(presences: readonly Json[]) => void>();
  readonly #waiters = new Set<Waiter>();
  #state: LinkState = { state: 'connecting' };
  #shows: Json | undefined;
  #others: readonly Json[] = [];
  #open = false;
  /** It tries again by itself, and not at once. */
  #pausing = false;
  #cancelPause: Cancel = () => undefined;
  #sent = 0;
  #durable = 0;
  readonly #changed = (update: Uint8Array, origin: unknown): void => {
    if (origin !== this && this.#open) this.#send(update);
  };

  constructor(client: SimClient, options: JoinOptions) {
    this.client = client;
    this.room = options.room;
    this.doc = options.doc;
    this.#options = options;
    this.#intake = new Intake(options.room, options.doc, { random: client.random, onFault: client.onFault });
    // Yjs has dice of its own; only who writes uses them.
    options.doc.clientID = clientIdOf(client.random.bytes(4));
    if (options.role !== 'reader') options.doc.on('update', this.#changed);
  }

  get isWaiting(): boolean {
    return this.#state.state === 'waiting' && !this.#pausing;
  }

  /** Begins again where the relay is. */
  connect(): void {
    if (this.#state.state === 'closed') return;
    this.#quiet();
    this.#become({ state: 'connecting' });
    this.up.push({ type: 'hello', stateVector: Y.encodeStateVector(this.doc) });
  }

  drop(): void {
    if (this.#state.state !== 'online' && this.#state.state !== 'connecting') return;
    this.#quiet();
    this.#become({ state: 'waiting', untilMs: 0, reason: 'unreachable', sentence: UNREACHABLE });
  }

  forbid(): void {
    if (this.#state.state === 'closed') return;
    this.#quiet();
    this.#become({ state: 'stopped', reason: 'forbidden', sentence: 'This device may not do that in this room.' });
  }

  /** From the relay, on its way. */
  toClient(message: Down): void {
    this.down.push(message);
  }

  /** The next message to the relay arrives. */
  stepUp(): string {
    const message = this.up.shift();
    const { relay } = this.client;
    switch (message?.type) {
      case 'hello':
        this.#welcome(message.stateVector);
        return 'hello';
      case 'update':
        relay.store(this.room, message.update, this);
        this.toClient({ type: 'durable', through: message.n });
        return `update ${message.update.length}`;
      case 'show':
        relay.show(this.room, message.value);
        return 'shows';
      case undefined:
        return 'nothing';
    }
  }

  /** The next message from the relay arrives. */
  stepDown(): string {
    const message = this.down.shift();
    switch (message?.type) {
      case 'answer':
        this.#answered(message.diff, message.stateVector);
        return `answer ${message.diff.length}`;
      case 'update':
        this.take(message.update);
        return `update ${message.update.length}`;
      case 'durable':
        this.#acknowledged(message.through);
        return 'durable';
      case 'shown':
        this.#hear(message.values);
        return 'shown';
      case undefined:
        return 'nothing';
    }
  }

  take(update: Uint8Array): void {
    if (this.#options.role === 'author') {
      if (isForeign(this.doc, update)) this.#damaged(FOREIGN);
      return;
    }
    const taken = this.#intake.take(update, this);
    if (!taken.taken) this.#damaged(taken.why);
  }

  state(): LinkState {
    return this.#state;
  }

  subscribe(listener: (state: LinkState) => void): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  present(value: JsonObject): void {
    this.#shows = value;
    if (this.#open) this.up.push({ type: 'show', value });
  }

  presences(): readonly Json[] {
    return this.#others;
  }

  subscribePresences(listener: (presences: readonly Json[]) => void): Cancel {
    this.#ears.add(listener);
    return () => this.#ears.delete(listener);
  }

  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({ through: this.#open ? this.#sent : undefined, resolve, reject });
      this.#release();
    });
  }

  reconnect(): void {
    if (['waiting', 'stopped', 'damaged', 'gone'].includes(this.#state.state)) this.connect();
  }

  close(): void {
    if (this.#state.state === 'closed') return;
    this.vanish();
    for (const { reject } of this.#waiters) reject(new CountersignError('closed', 'The connection was closed.'));
    this.#waiters.clear();
    this.#become({ state: 'closed' });
  }

  /** The process it was in is no more: nobody is told. */
  vanish(): void {
    this.#quiet();
    this.doc.off('update', this.#changed);
    this.client.links.delete(this);
  }

  #welcome(stateVector: Uint8Array): void {
    const { client } = this;
    const { relay } = client;
    if (!relay.admits(client.device)) {
      this.forbid();
      return;
    }
    const room = relay.room(this.room);
    room.links.add(this);
    const instead = relay.shownInstead(client, this.room);
    const there = instead ?? room.doc;
    const diff = Y.encodeStateAsUpdate(there, stateVector);
    this.toClient({ type: 'answer', diff, stateVector: Y.encodeStateVector(there) });
    if (room.shown !== undefined && instead === undefined) this.toClient({ type: 'shown', values: [room.shown] });
    if (relay.head !== undefined) client.pushHead(relay.head.bytes);
  }

  #answered(diff: Uint8Array, stateVector: Uint8Array): void {
    const { role } = this.#options;
    if (role === 'author' && isBeyond(this.doc, stateVector)) this.#damaged(FOREIGN);
    else this.take(diff);
    if (this.#state.state !== 'connecting') return;
    if (this.#intake.waits) {
      // Its beginnings never came: it asks for all of it again.
      this.#intake.forgetWaiting();
      this.#quiet();
      this.#become({ state: 'waiting', untilMs: 0, reason: 'unreachable', sentence: UNREACHABLE });
      this.#pause();
      return;
    }
    if (role !== 'reader') this.#begin(stateVector);
    this.#become({ state: 'online', synced: true });
  }

  #begin(stateVector: Uint8Array): void {
    const missing = Y.encodeStateAsUpdate(this.doc, stateVector);
    this.#open = true;
    // Two bytes say that there is nothing.
    if (missing.length > 2) this.#send(missing);
    if (this.#shows !== undefined) this.up.push({ type: 'show', value: this.#shows });
    for (const waiter of this.#waiters) waiter.through ??= this.#sent;
    this.#release();
  }

  #send(update: Uint8Array): void {
    this.#sent += 1;
    this.up.push({ type: 'update', update, n: this.#sent });
  }

  #acknowledged(through: number): void {
    this.#durable = Math.max(this.#durable, Math.min(through, this.#sent));
    this.#release();
  }

  #release(): void {
    for (const waiter of this.#waiters) {
      if (waiter.through === undefined || waiter.through > this.#durable) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  #damaged(why: string): void {
    if (this.#state.state === 'damaged' || this.#state.state === 'closed') return;
    this.#quiet();
    this.#become({ state: 'damaged', sentence: why });
    if (this.#options.role !== 'author') this.#pause();
    this.#options.onDamaged?.(why);
  }

  #pause(): void {
    this.#pausing = true;
    this.#cancelPause = this.client.clock.after(LINK_LIMITS.damagedAgainMs, () => this.reconnect());
  }

  #hear(values: readonly Json[]): void {
    this.#others = values;
    for (const ear of this.#ears) ear(values);
  }

  /** There is no connection any more, and what was on it is lost. */
  #quiet(): void {
    this.up.length = 0;
    this.down.length = 0;
    this.#cancelPause();
    this.#pausing = false;
    this.#open = false;
    this.#sent = 0;
    this.#durable = 0;
    for (const waiter of this.#waiters) waiter.through = undefined;
    this.client.relay.rooms.get(this.room)?.links.delete(this);
    if (this.#others.length > 0) this.#hear([]);
  }

  #become(state: LinkState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

export function clientIdOf(bytes: Uint8Array): number {
  return bytes.reduce((id, byte) => id * 256 + byte, 0) || 1;
}
