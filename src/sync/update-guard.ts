import * as Y from 'yjs';
import { messageOf } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Room } from './room.ts';
import { reachOf } from './update-reach.ts';
import { scanUpdate, type DocumentRoot, type Refusal, type ScanOptions, type UpdateScan } from './update-scan.ts';

export const GUARD_LIMITS = {
  /** Client ids of one document: one a start of whoever writes it. */
  clientsMax: 1024,
  /** Shared types of one document. Ours have one. */
  rootsMax: 64,
  /** Structs and deletions that wait for what has not come, and bytes of the updates they came in: on an ordered connection none do. */
  pendingMax: 64,
  pendingBytesMax: 1024 * 1024,
} as const;

/** What stands in the document of a room, so that nothing else can be planted in it. The head is no document. */
export const DOCUMENT_ROOT: Readonly<Record<Exclude<Room['kind'], 'head'>, DocumentRoot>> = {
  ledger: { name: 'records', keyed: false },
  tile: { name: 'entries', keyed: true },
  inbox: { name: 'decisions', keyed: true },
};

/** An update that may be applied, once, before any other is checked. */
export interface Checked {
  readonly update: Uint8Array;
  readonly scan: UpdateScan;
  /** Structs and deletions of it that will wait. */
  readonly pending: number;
}

/**
 * Stands before `Y.applyUpdate` for bytes from outside, one for each document. An update that it refuses has not
 * touched the document. One that it lets through can still be somebody's lie: signatures and sums find those.
 */
export class UpdateGuard {
  readonly #doc: Y.Doc;
  readonly #options: ScanOptions;
  /** Let in before what they follow, since last nothing waited. */
  #pending = 0;
  #pendingBytes = 0;

  constructor(doc: Y.Doc, options: ScanOptions) {
    this.#doc = doc;
    this.#options = options;
  }

  /** Applies the update, or says why not. Never throws, whatever the bytes are. */
  take(update: Uint8Array, origin?: unknown): Result<void, Refusal> {
    const checked = this.check(update);
    return checked.ok ? this.apply(checked.value, origin) : checked;
  }

  /** For who must store an update before it is applied. */
  check(update: Uint8Array): Result<Checked, Refusal> {
    const scan = scanUpdate(update, this.#options);
    return scan.ok ? this.#bounded(update, scan.value) : scan;
  }

  apply({ pending, update }: Checked, origin?: unknown): Result<void, Refusal> {
    try {
      Y.applyUpdate(this.#doc, update, origin);
    } catch (thrown) {
      // Yjs throws errors of many kinds for dependencies that make no sense, and handlers of others may throw here too.
      return refused('malformed', `Yjs could not apply the update: ${messageOf(thrown)}.`);
    } finally {
      this.#count(pending, update.length);
    }
    return ok(undefined);
  }

  #bounded(update: Uint8Array, scan: UpdateScan): Result<Checked, Refusal> {
    const { share, store } = this.#doc;
    const clients = scan.clients.filter(({ client }) => !store.clients.has(client)).length + store.clients.size;
    if (clients > GUARD_LIMITS.clientsMax) return refused('full', 'The document was written by too many clients.');
    const roots = [...scan.roots].filter((name) => !share.has(name)).length + share.size;
    if (roots > GUARD_LIMITS.rootsMax) return refused('full', 'The document has too many types.');
    const reach = reachOf(scan, (client) => Y.getState(store, client));
    if (reach.tangled) return refused('malformed', 'The update is malformed: what it holds cannot be put in order.');
    const pending = reach.pendingStructs + reach.pendingDeletions;
    if (pending > 0 && !this.#mayWait(pending, update.length))
      return refused('malformed', 'Too much of the update follows what has not come.');
    return ok({ update, scan, pending });
  }

  #mayWait(pending: number, bytes: number): boolean {
    return (
      this.#pending + pending <= GUARD_LIMITS.pendingMax && this.#pendingBytes + bytes <= GUARD_LIMITS.pendingBytesMax
    );
  }

  #count(pending: number, bytes: number): void {
    const { pendingDs, pendingStructs } = this.#doc.store;
    if (pendingStructs === null && pendingDs === null) {
      this.#pending = 0;
      this.#pendingBytes = 0;
      return;
    }
    // Something waits that should not: in a circle, say. Nothing more may, until nothing does.
    this.#pending = pending === 0 && this.#pending === 0 ? GUARD_LIMITS.pendingMax : this.#pending + pending;
    if (pending > 0) this.#pendingBytes += bytes;
  }
}

function refused(reason: Refusal['reason'], why: string): Result<never, Refusal> {
  return err({ reason, why });
}
