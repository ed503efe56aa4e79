import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { applyAwarenessUpdate, Awareness, removeAwarenessStates } from 'y-protocols/awareness';
import type { Doc } from 'yjs';
import { canonicalBytes, type Json, type JsonObject } from '../base/canonical-json.ts';
import type { Cancel, Clock, EpochMs } from '../base/clock.ts';
import { CountersignError } from '../base/errors.ts';
import { LINK_LIMITS } from './link-limits.ts';
import { Listeners } from './listeners.ts';
import { SYNC_LIMITS } from './messages.ts';
import { stopTimer } from './stock-internals.ts';

interface AwarenessChange {
  readonly added: readonly number[];
  readonly updated: readonly number[];
  readonly removed: readonly number[];
}

/**
 * Who is in a room, by the awareness protocol, with this side's clock and bounds: the stock class drops others after
 * 30 s, which is two renewals and no slack, grows with every client id it ever heard of, and keeps Node alive.
 */
export class Presence {
  readonly awareness: Awareness;
  readonly #doc: Doc;
  readonly #clock: Clock;
  readonly #seenMs = new Map<number, EpochMs>();
  readonly #listeners: Listeners<readonly Json[]>;

  constructor(doc: Doc, clock: Clock, onFault: (thrown: unknown) => void) {
    this.#doc = doc;
    this.#clock = clock;
    this.#listeners = new Listeners(onFault);
    this.awareness = new Awareness(doc);
    // Its timer reads the machine's clock; `renew` is called by ours.
    stopTimer(this.awareness);
    this.awareness.on('update', ({ added, updated }: AwarenessChange, origin: unknown) => {
      if (origin !== 'local') for (const client of [...added, ...updated]) this.#seenMs.set(client, clock.nowMs());
    });
    this.awareness.on('change', (_: AwarenessChange, origin: unknown) => {
      if (origin !== 'local') this.#listeners.tell(this.others());
    });
  }

  /** Throws: `bad-input` for more than a relay takes. */
  say(value: JsonObject): void {
    if (canonicalBytes(value).length + 64 > SYNC_LIMITS.awarenessBytesMax)
      throw new CountersignError('bad-input', `A presence may have ${SYNC_LIMITS.awarenessBytesMax} bytes at most.`);
    this.awareness.setLocalState({ ...value });
  }

  others(): readonly Json[] {
    return [...this.awareness.getStates()].flatMap(([client, value]) =>
      // reason: a state is what JSON.parse made of a stranger's text
      client === this.awareness.clientID ? [] : [value as Json],
    );
  }

  subscribe(listener: (presences: readonly Json[]) => void): Cancel {
    return this.#listeners.add(listener);
  }

  /** From the relay. Throws on bytes that are no awareness update. */
  receive(update: Uint8Array): void {
    const kept = this.#filtered(update);
    if (kept !== undefined) applyAwarenessUpdate(this.awareness, kept, 'relay');
  }

  /** Says our own again, and forgets others who have been silent for too long. */
  renew(): void {
    this.rebind();
    this.awareness.setLocalState(this.awareness.getLocalState() ?? {});
    const deadlineMs = this.#clock.nowMs() - LINK_LIMITS.presenceMsMax;
    const silent = [...this.#seenMs].filter(([, seenMs]) => seenMs <= deadlineMs).map(([client]) => client);
    removeAwarenessStates(this.awareness, silent, 'timeout');
    this.#forget(silent);
  }

  /** The connection is over: who was there may have left meanwhile. */
  reset(): void {
    const others = [...this.awareness.meta.keys()].filter((client) => client !== this.awareness.clientID);
    removeAwarenessStates(this.awareness, others, 'reset');
    this.#forget(others);
  }

  /** Yjs takes a new client id when another uses the same; the provider looks for our presence under the new one. */
  rebind(): void {
    const { clientID } = this.#doc;
    if (clientID === this.awareness.clientID) return;
    const value = this.awareness.getLocalState();
    this.awareness.setLocalState(null);
    this.awareness.clientID = clientID;
    this.awareness.setLocalState(value ?? {});
  }

  /** Is an awareness update about nobody but us? The provider sends on what it hears of others. */
  isOwn(update: Uint8Array): boolean {
    const decoder = decoding.createDecoder(update);
    return decoding.readVarUint(decoder) === 1 && decoding.readVarUint(decoder) === this.awareness.clientID;
  }

  destroy(): void {
    this.awareness.destroy();
  }

  #forget(clients: readonly number[]): void {
    for (const client of clients) {
      this.#seenMs.delete(client);
      this.awareness.meta.delete(client);
    }
  }

  /** The part of an update that is about others, small enough, and of no more of them than we keep. */
  #filtered(update: Uint8Array): Uint8Array | undefined {
    const decoder = decoding.createDecoder(update);
    const kept: { readonly client: number; readonly clock: number; readonly text: string }[] = [];
    let room = LINK_LIMITS.presencesMax - this.awareness.meta.size;
    for (let left = decoding.readVarUint(decoder); left > 0; left--) {
      const client = decoding.readVarUint(decoder);
      const clock = decoding.readVarUint(decoder);
      const text = decoding.readVarString(decoder);
      if (client === this.awareness.clientID || text.length > SYNC_LIMITS.awarenessBytesMax) continue;
      if (!this.awareness.meta.has(client) && room-- <= 0) continue;
      kept.push({ client, clock, text });
    }
    if (kept.length === 0) return undefined;
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, kept.length);
    for (const { client, clock, text } of kept) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, clock);
      encoding.writeVarString(encoder, text);
    }
    return encoding.toUint8Array(encoder);
  }
}
