import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { CountersignError } from '../base/errors.ts';
import { carriesChanges } from './frames.ts';
import { LINK_LIMITS } from './link-limits.ts';
import { MESSAGE, SYNC_LIMITS } from './messages.ts';
import { notUnderstood } from './relay-error.ts';

export interface UplinkParts {
  readonly doc: Y.Doc;
  /**
   * Every deletion of this document came together with an insertion, so that who has all insertions has everything,
   * and is not sent all deletions again. Said of ledgers (every change ends with a new sum) and tiles (none).
   */
  readonly deletesWithInserts: boolean;
  /** Over the present socket. */
  readonly send: (frame: Uint8Array) => void;
  readonly putSnapshot: (state: Uint8Array) => Promise<void>;
  /** The snapshot did not arrive: this connection cannot go on. */
  readonly onFailed: (thrown: unknown) => void;
  readonly onOpen: () => void;
}

interface Waiter {
  /** How many messages with changes must be on disk; `undefined` until the relay has said what it holds. */
  through: number | undefined;
  resolve(): void;
  reject(thrown: unknown): void;
}

/**
 * A writer's way to the relay. Nothing leaves before the relay has said what it holds, so that it never gets a change
 * whose beginning it lacks; what is too large for a frame goes as a snapshot, and changes made meanwhile follow it.
 */
export class Uplink {
  readonly #parts: UplinkParts;
  #phase: 'unasked' | 'putting' | 'open' = 'unasked';
  #questions = 0;
  #sent = 0;
  #durable = 0;
  #heldBack = false;
  /** Grows with every socket: a snapshot that arrives after its socket ended opens nothing. */
  #socket = 0;
  readonly #waiters = new Set<Waiter>();

  constructor(parts: UplinkParts) {
    this.#parts = parts;
  }

  /** A new socket, or none: what was sent counts from 0 again. */
  reset(): void {
    this.#socket++;
    this.#phase = 'unasked';
    this.#questions = 0;
    this.#sent = 0;
    this.#durable = 0;
    this.#heldBack = false;
    for (const waiter of this.#waiters) waiter.through = undefined;
  }

  /** The relay said what it holds. Throws `closed` when it does so without end. */
  answer(stateVector: Uint8Array): void {
    if (++this.#questions > LINK_LIMITS.questionsMax) throw notUnderstood('The relay asks the same again and again.');
    if (this.#phase === 'putting') return;
    const missing = this.#missing(stateVector);
    if (missing.length > SYNC_LIMITS.updateBytesMax) {
      this.#put();
      return;
    }
    this.#phase = 'open';
    if (carriesChanges(missing)) this.#parts.send(frameOf(1, missing));
    this.#opened();
  }

  /** May these changes leave now? What may not is in the document, and goes with what comes next. */
  mayLeave(update: Uint8Array): boolean {
    if (!carriesChanges(update)) return false;
    if (this.#phase === 'open' && update.length > SYNC_LIMITS.updateBytesMax) this.#put();
    if (this.#phase === 'open') this.#sent++;
    else this.#heldBack = true;
    return this.#phase === 'open';
  }

  /** Throws `closed` when the relay has more on disk than it was sent. */
  acknowledge(through: number): void {
    if (through > this.#sent) throw notUnderstood('The relay acknowledges what it was not sent.');
    this.#durable = Math.max(this.#durable, through);
    this.#release();
  }

  /** Every change made so far is on the relay's disk. */
  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiters.add({ through: this.#phase === 'open' ? this.#sent : undefined, resolve, reject });
      this.#release();
    });
  }

  close(): void {
    for (const waiter of this.#waiters) waiter.reject(new CountersignError('closed', 'The connection was closed.'));
    this.#waiters.clear();
  }

  #missing(stateVector: Uint8Array): Uint8Array {
    const { deletesWithInserts, doc } = this.#parts;
    return deletesWithInserts && holdsAll(doc, stateVector) ? NOTHING : Y.encodeStateAsUpdate(doc, stateVector);
  }

  #put(): void {
    this.#phase = 'putting';
    this.#heldBack = false;
    const socket = this.#socket;
    const { doc } = this.#parts;
    const holds = Y.encodeStateVector(doc);
    const state = Y.encodeStateAsUpdate(doc);
    void this.#deliver(state, () => {
      if (socket === this.#socket) this.#follow(holds);
    }).catch((thrown: unknown) => {
      if (socket === this.#socket) this.#parts.onFailed(thrown);
    });
  }

  async #deliver(state: Uint8Array, then: () => void): Promise<void> {
    await this.#parts.putSnapshot(state);
    then();
  }

  /** The snapshot has arrived; what was changed since follows it. */
  #follow(holds: Uint8Array): void {
    const missing = Y.encodeStateAsUpdate(this.#parts.doc, holds);
    if (this.#heldBack && missing.length > SYNC_LIMITS.updateBytesMax) {
      this.#put();
      return;
    }
    this.#phase = 'open';
    if (this.#heldBack) this.#parts.send(frameOf(2, missing));
    this.#heldBack = false;
    this.#opened();
  }

  #opened(): void {
    for (const waiter of this.#waiters) waiter.through ??= this.#sent;
    this.#release();
    this.#parts.onOpen();
  }

  #release(): void {
    for (const waiter of this.#waiters) {
      if (waiter.through === undefined || waiter.through > this.#durable) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }
}

const NOTHING = Uint8Array.of(0, 0);

function holdsAll(doc: Y.Doc, stateVector: Uint8Array): boolean {
  const theirs = Y.decodeStateVector(stateVector);
  for (const client of doc.store.clients.keys())
    if ((theirs.get(client) ?? 0) < Y.getState(doc.store, client)) return false;
  return true;
}

/** A step 2 (1) or an update (2). */
function frameOf(step: 1 | 2, update: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, MESSAGE.sync);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint8Array(encoder, update);
  return encoding.toUint8Array(encoder);
}
