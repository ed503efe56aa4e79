import { assert } from '../../base/assert.ts';
import type { CountersignError } from '../../base/errors.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { JournalBatch } from '../../authority/ports.ts';
import { headAfter, type ChainHead } from '../chain.ts';

/** A batch that waits to be stored, and its caller's promise. */
export interface Waiting {
  readonly batch: JournalBatch;
  readonly resolve: () => void;
  readonly reject: (error: CountersignError) => void;
}

/** Batches that share the next transaction, in the order they came. Each continues the one before it. */
export class Gathering {
  readonly #sha256: Sha256;
  #waiting: Waiting[] = [];
  /** Where the journal will end when all that wait are stored. */
  #planned: ChainHead;
  /** Where it would have ended had the last group not failed: who builds on that fails the same way. */
  #failed: { readonly head: ChainHead; readonly error: CountersignError } | undefined;

  constructor(sha256: Sha256, head: ChainHead) {
    this.#sha256 = sha256;
    this.#planned = head;
  }

  isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Resolves when the batch is stored.
   *
   * Throws: `InvariantError` when it does not continue the batch before it.
   */
  join(batch: JournalBatch): Promise<void> {
    const failed = this.#failed;
    if (failed !== undefined && buildsOn(batch, failed.head) && !buildsOn(batch, this.#planned)) {
      this.#failed = { ...failed, head: headAfter(this.#sha256, failed.head, batch) };
      return Promise.reject(failed.error);
    }
    this.#planned = headAfter(this.#sha256, this.#planned, batch);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ batch, resolve, reject });
    });
  }

  /** Takes the whole group, to be stored at once. */
  take(): { readonly waiting: readonly Waiting[]; readonly end: ChainHead } {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#failed = undefined;
    return { waiting, end: this.#planned };
  }

  /** The group that was taken is not stored: the journal still ends at `head`. */
  giveUp(head: ChainHead, error: CountersignError): void {
    assert(this.#waiting.length === 0, 'nobody joins while a group is being stored');
    this.#failed = { head: this.#planned, error };
    this.#planned = head;
  }
}

/** A batch without rows builds on anything, and so on what is planned. */
function buildsOn({ rows }: JournalBatch, head: ChainHead): boolean {
  const first = rows[0];
  return first === undefined || first.seq === head.seq + 1;
}
