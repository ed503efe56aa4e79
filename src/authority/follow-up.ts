import { InvariantError } from '../base/assert.ts';
import { CountersignError } from '../base/errors.ts';
import type { JournalRow } from '../model/event.ts';
import { Bulk } from './bulk.ts';
import type { Core } from './core.ts';
import { Doubts } from './doubts.ts';
import type { Drain } from './drain.ts';
import { edit, owedEdits } from './edit.ts';
import type { Follow } from './enact.ts';
import type { ResourceLocks } from './locks.ts';
import { owedReissues, reissue } from './owed.ts';
import { Reverts } from './reverts.ts';

/**
 * What goes on beside the lanes: what decisions asked for that takes time, and what is asked about again because nobody
 * knows what became of it.
 */
export class FollowUp {
  readonly #core: Core;
  readonly #drain: Drain;
  readonly #bulk: Bulk;
  readonly #reverts: Reverts;
  readonly #doubts: Doubts;
  readonly #underWay = new Set<Promise<void>>();

  constructor(core: Core, locks: ResourceLocks, drain: Drain) {
    this.#core = core;
    this.#drain = drain;
    this.#bulk = new Bulk(core, () => drain.wake());
    this.#reverts = new Reverts(core, locks, () => drain.wake());
    this.#doubts = new Doubts({
      core,
      effect: (id, evidence) => drain.evidence(id, evidence),
      revert: (id, attempt, outcome) => this.#reverts.evidence(id, attempt, outcome),
    });
  }

  /** Goes on with what a crash interrupted, before anything drains; what was owed then is done. */
  async resume(): Promise<void> {
    await this.#reverts.resume();
    for (const owed of owedReissues(this.#core)) await reissue(this.#core, owed);
    for (const owed of owedEdits(this.#core)) await edit(this.#core, owed);
  }

  start(): void {
    this.#doubts.start();
    void this.#begin(this.#bulk.resume());
  }

  /** Nothing new is asked about. */
  stop(): void {
    this.#doubts.stop();
    this.#bulk.stop();
  }

  /** Resolves when what is under way has ended. Never rejects. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Rows that are durable now. */
  stored(rows: readonly JournalRow[]): void {
    this.#doubts.stored(rows);
  }

  /** Something can be stored again after a full disk. */
  goOn(): void {
    void this.#begin(this.#bulk.resume());
    void this.#begin(this.resume().then(() => this.#drain.wake()));
  }

  /** What a durable decision asked for; a reissue and an edit are waited for by whoever asked: their outcome is the answer. */
  follow(follow: Follow): Promise<void> {
    if (follow.type === 'drain') {
      this.#drain.wake();
      return Promise.resolve();
    }
    const task = this.#begin(this.#perform(follow));
    return follow.type === 'reissue' || follow.type === 'edit' ? task : Promise.resolve();
  }

  #begin(work: Promise<void>): Promise<void> {
    const { options } = this.#core;
    const task = work.catch((error: unknown) => {
      if (error instanceof InvariantError || !CountersignError.is(error)) options.onFatal(error);
      else options.onAlarm(error.message);
    });
    this.#underWay.add(task);
    void task.finally(() => this.#underWay.delete(task));
    return task;
  }

  async #perform(follow: Exclude<Follow, { type: 'drain' }>): Promise<void> {
    if (follow.type === 'revert') await this.#reverts.run(follow.plan);
    else if (follow.type === 'look-over') await this.#bulk.lookOver(follow.list);
    else if (follow.type === 'edit') await edit(this.#core, follow.owed);
    else await reissue(this.#core, follow);
    this.#drain.wake();
  }
}
