import * as decoding from 'lib0/decoding';
import type { Doc } from 'yjs';
import { isBeyond, isForeign } from './author-check.ts';
import type { LinkRole } from './contract.ts';
import { readOutgoing, readSync, type SyncFrame } from './frames.ts';
import type { Intake } from './intake.ts';
import { MESSAGE } from './messages.ts';
import type { Presence } from './presence.ts';
import type { Handlers } from './provider.ts';
import { readable } from './readable.ts';
import { notUnderstood } from './relay-error.ts';
import { Uplink } from './uplink.ts';

export interface ExchangeParts {
  readonly doc: Doc;
  readonly role: LinkRole;
  readonly intake: Intake;
  readonly presence: Presence;
  readonly send: (frame: Uint8Array) => void;
  readonly putSnapshot: (state: Uint8Array) => Promise<void>;
  /** A snapshot did not arrive. */
  readonly onFailed: (thrown: unknown) => void;
  readonly onSynced: () => void;
  readonly onDamaged: (why: string) => void;
  readonly onHead: (json: Uint8Array) => void;
}

export const FOREIGN = 'The relay holds changes of this document that this home never made.';

/**
 * What is said over one socket at a time, by role. A reader takes changes and sends none; a writer does both; an
 * author sends, and compares what comes with what it knows.
 */
export class Exchange {
  /** For the provider, by type of message. */
  readonly handlers: Handlers;
  readonly #parts: ExchangeParts;
  readonly #uplink: Uplink;
  #answered = false;
  #open = false;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#uplink = new Uplink({
      doc: parts.doc,
      deletesWithInserts: parts.role === 'author',
      send: parts.send,
      putSnapshot: parts.putSnapshot,
      onFailed: parts.onFailed,
      onOpen: () => {
        this.#open = true;
        this.#progress();
      },
    });
    this.handlers = [];
    this.handlers[MESSAGE.sync] = (_, decoder) => this.#sync(readable(() => readSync(decoder)));
    // Whoever listens to presences is kept apart from what is read here.
    this.handlers[MESSAGE.awareness] = (_, decoder) =>
      readable(() => parts.presence.receive(decoding.readVarUint8Array(decoder)));
    this.handlers[MESSAGE.durable] = (_, decoder) =>
      this.#uplink.acknowledge(readable(() => decoding.readVarUint(decoder)));
    this.handlers[MESSAGE.head] = (_, decoder) => parts.onHead(readable(() => decoding.readVarUint8Array(decoder)));
  }

  /** A socket begins, or has ended. */
  reset(): void {
    this.#answered = false;
    this.#open = false;
    this.#uplink.reset();
    this.#parts.presence.reset();
  }

  /** Does anybody here handle this frame? What nobody knows is left out: a newer relay may say more. */
  incoming(frame: Uint8Array): boolean {
    const type = readable(() => decoding.readVarUint(decoding.createDecoder(frame)));
    return this.handlers[type] !== undefined;
  }

  outgoing(bytes: Uint8Array): boolean {
    const frame = readOutgoing(bytes);
    switch (frame.type) {
      case 'step1':
      case 'query-awareness':
        return true;
      case 'changes':
        // A reader's document changes, too: when its cache is loaded into it, or a snapshot.
        return this.#parts.role !== 'reader' && this.#uplink.mayLeave(frame.update);
      case 'awareness':
        return this.#parts.presence.isOwn(frame.update);
      case 'unknown':
        return false;
    }
  }

  durable(): Promise<void> {
    return this.#uplink.durable();
  }

  close(): void {
    this.#uplink.close();
  }

  #sync(frame: SyncFrame): void {
    const { doc, role } = this.#parts;
    if (frame.type === 'changes') this.#take(frame);
    if (frame.type !== 'step1' || role === 'reader') return;
    const beyond = readable(() => isBeyond(doc, frame.stateVector));
    if (role === 'author' && beyond) this.#parts.onDamaged(FOREIGN);
    else this.#uplink.answer(frame.stateVector);
  }

  #take({ answer, update }: Extract<SyncFrame, { type: 'changes' }>): void {
    const { doc, intake, onDamaged, role } = this.#parts;
    if (role === 'author') {
      if (readable(() => isForeign(doc, update))) onDamaged(FOREIGN);
      return;
    }
    const taken = intake.take(update, this);
    if (!taken.taken) {
      onDamaged(taken.why);
      return;
    }
    this.#answered ||= answer;
    if (this.#answered && intake.waits) {
      intake.forgetWaiting();
      throw notUnderstood('The relay sends changes whose beginnings never come.');
    }
    this.#progress();
  }

  #progress(): void {
    const { role } = this.#parts;
    const synced = (role === 'author' || this.#answered) && (role === 'reader' || this.#open);
    if (synced) this.#parts.onSynced();
  }
}
