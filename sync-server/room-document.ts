import * as Y from 'yjs';
import { UpdateGuard } from '../src/sync/update-guard.ts';
import type { Refusal, ScanOptions } from '../src/sync/update-scan.ts';

/** The answer to who has everything: no structs, no deletions. */
const NOTHING_NEW = Uint8Array.of(0, 0);

/**
 * What became of an update. `known`: it held nothing new · `refused`: it has not touched the document · `broken`: it
 * may have, so that what is in memory is not to be trusted any more.
 */
export type Applied = { readonly type: 'changed' | 'known' } | ({ readonly type: 'refused' | 'broken' } & Refusal);

/** The document of one room, as Yjs keeps it. Nothing from outside reaches it but through its guard. */
export class RoomDocument {
  readonly #doc = new Y.Doc();
  readonly #guard: UpdateGuard;
  #changed = false;
  #live = false;
  /**
   * The newest deletion came live and together with an insertion, or before one that did. Whoever has all insertions
   * then has all deletions too, if they came in order, and need not be told them again: a ledger's are 100 KB. What a
   * writer catches up with says nothing of it: a reader may have got the insertions before a relay lost them.
   */
  #deletionsAreSeen = true;

  constructor(options: ScanOptions) {
    this.#guard = new UpdateGuard(this.#doc, options);
    this.#doc.on('afterTransaction', (transaction) => this.#note(transaction));
  }

  /** Throws what Yjs throws: what was stored had been applied before, so that bytes it refuses are damage. */
  restore(updates: readonly Uint8Array[]): void {
    for (const update of updates) Y.applyUpdate(this.#doc, update);
    this.#deletionsAreSeen = false;
  }

  /** `live`: it was made just now by its writer, after everything that came from there before. */
  apply(update: Uint8Array, { live }: { readonly live: boolean }): Applied {
    const { pendingDs, pendingStructs } = this.#doc.store;
    const checked = this.#guard.check(update);
    if (!checked.ok) return { type: 'refused', ...checked.error };
    this.#changed = false;
    this.#live = live;
    const applied = this.#guard.apply(checked.value);
    if (!applied.ok) return { type: 'broken', ...applied.error };
    const { store } = this.#doc;
    const waits = store.pendingStructs !== pendingStructs || store.pendingDs !== pendingDs;
    return { type: this.#changed || waits ? 'changed' : 'known' };
  }

  /**
   * What somebody with this state vector is missing; `undefined` for bytes that are none.
   * `inOrder`: their copy came from one writer, through this relay, in order.
   */
  missing(stateVector: Uint8Array, { inOrder }: { readonly inOrder: boolean }): Uint8Array | undefined {
    try {
      if (inOrder && this.#deletionsAreSeen && this.#isKnownTo(Y.decodeStateVector(stateVector))) return NOTHING_NEW;
      return Y.encodeStateAsUpdate(this.#doc, stateVector);
    } catch (thrown) {
      // lib0 throws plain Errors on bytes that end too early.
      if (thrown instanceof Error) return undefined;
      throw thrown;
    }
  }

  stateVector(): Uint8Array {
    return Y.encodeStateVector(this.#doc);
  }

  state(): Uint8Array {
    return Y.encodeStateAsUpdate(this.#doc);
  }

  destroy(): void {
    this.#doc.destroy();
  }

  #isKnownTo(theirs: ReadonlyMap<number, number>): boolean {
    const { pendingDs, pendingStructs } = this.#doc.store;
    if (pendingDs !== null || pendingStructs !== null) return false;
    const { store } = this.#doc;
    return [...store.clients.keys()].every((client) => (theirs.get(client) ?? 0) >= Y.getState(store, client));
  }

  #note({ afterState, beforeState, deleteSet }: Y.Transaction): void {
    const deleted = deleteSet.clients.size > 0;
    let inserted = false;
    for (const [client, clock] of afterState) if (beforeState.get(client) !== clock) inserted = true;
    if (!deleted && !inserted) return;
    this.#changed = true;
    if (this.#live && inserted) this.#deletionsAreSeen = true;
    else if (deleted) this.#deletionsAreSeen = false;
  }
}
