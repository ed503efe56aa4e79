import * as Y from 'yjs';
import type { Random } from '../base/random.ts';
import type { ClientScan } from './update-scan.ts';
import { LINK_LIMITS } from './link-limits.ts';
import { SYNC_LIMITS } from './messages.ts';
import { reviveDoc } from './stock-internals.ts';
import { DOCUMENT_ROOT, UpdateGuard } from './update-guard.ts';
import { parseRoomName } from './room.ts';

/** What became of changes from the relay. `why`: a sentence about what they would have done to the document. */
export type Taken = { readonly taken: true } | { readonly taken: false; readonly why: string };

/**
 * Takes a stranger's changes into a document that somebody else listens to: nothing that the guard refuses, nothing
 * that waits for ever, no more than a document may have; and an exception of a listener does not end its news.
 */
export class Intake {
  readonly #doc: Y.Doc;
  readonly #guard: UpdateGuard;
  readonly #random: Random;
  readonly #onFault: (thrown: unknown) => void;
  #bytesSinceLook = 0;

  constructor(room: string, doc: Y.Doc, by: { readonly random: Random; readonly onFault: (thrown: unknown) => void }) {
    const parsed = parseRoomName(room);
    const root = parsed.ok && parsed.value.kind !== 'head' ? DOCUMENT_ROOT[parsed.value.kind] : null;
    this.#doc = doc;
    this.#guard = new UpdateGuard(doc, { bytesMax: SYNC_LIMITS.snapshotBytesMax, root });
    this.#random = by.random;
    this.#onFault = by.onFault;
  }

  take(update: Uint8Array, origin: unknown): Taken {
    const checked = this.#guard.check(update);
    if (!checked.ok) return refused(checked.error.why);
    return this.#keepApart(checked.value.scan.clients) ?? this.#apply(update, origin) ?? this.#measure(update.length);
  }

  /** Is there something that waits for what has not come? After both sides exchanged all they had, nothing does. */
  get waits(): boolean {
    return this.#doc.store.pendingStructs !== null || this.#doc.store.pendingDs !== null;
  }

  /** Forgets what waits; the next connection asks for all of it. */
  forgetWaiting(): void {
    this.#doc.store.pendingStructs = null;
    this.#doc.store.pendingDs = null;
  }

  /** Changes under this document's own client id, which it did not make. Before it made any, it takes another id. */
  #keepApart(clients: readonly ClientScan[]): Taken | undefined {
    const doc = this.#doc;
    const own = Y.getState(doc.store, doc.clientID);
    if (!clients.some(({ client, to }) => client === doc.clientID && to > own)) return undefined;
    if (own > 0) return refused('The relay holds changes that were made in the name of this device.');
    const taken = new Set([...doc.store.clients.keys(), ...clients.map(({ client }) => client)]);
    while (taken.has(doc.clientID)) doc.clientID = freshId(this.#random);
    return undefined;
  }

  #apply(update: Uint8Array, origin: unknown): Taken | undefined {
    const doc = this.#doc;
    let integrated = false;
    const mark = (): void => {
      integrated = true;
    };
    doc.once('beforeObserverCalls', mark);
    try {
      Y.applyUpdate(doc, update, origin);
      return undefined;
    } catch (thrown) {
      // Before the observers it is the bytes, which no guard foresees all of; after it, it is a listener of this side.
      if (!integrated) return refused('The relay sent changes that make no sense.');
      this.#onFault(thrown);
      return undefined;
    } finally {
      doc.off('beforeObserverCalls', mark);
      reviveDoc(doc);
    }
  }

  #measure(bytes: number): Taken {
    const waiting = this.#doc.store.pendingStructs?.update.length ?? 0;
    if (waiting > SYNC_LIMITS.updateBytesMax) {
      this.forgetWaiting();
      return refused('The relay sends changes whose beginnings never come.');
    }
    this.#bytesSinceLook += bytes;
    if (this.#bytesSinceLook < LINK_LIMITS.bytesPerLook) return { taken: true };
    this.#bytesSinceLook = 0;
    const size = Y.encodeStateAsUpdate(this.#doc).length;
    return size > SYNC_LIMITS.snapshotBytesMax ? refused('The document is larger than any may be.') : { taken: true };
  }
}

/** 32 bits, as Yjs takes them. */
function freshId(random: Random): number {
  return random.bytes(4).reduce((id, byte) => id * 256 + byte, 0);
}

function refused(why: string): Taken {
  return { taken: false, why };
}
