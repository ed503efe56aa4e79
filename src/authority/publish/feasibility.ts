import { messageOf } from '../../base/errors.ts';
import { InvariantError } from '../../base/assert.ts';
import type { Action } from '../../model/action.ts';
import type { Resource } from '../../model/content.ts';
import type { ActionId } from '../../model/ids.ts';
import type { LedgerAction } from '../../model/ledger.ts';
import type { Core } from '../core.ts';
import { canRevert } from '../effect-class.ts';
import { revertableNow } from '../revert-plan.ts';

type Revertable = LedgerAction['revertable'];

/**
 * Whether what was applied could be reverted when it was last looked at (CA-2). A look reads the world, so it happens
 * after the action was published as applied, one at a time, and again when something else has written the same.
 */
export class Feasibility {
  readonly #core: Core;
  readonly #changed: (id: ActionId) => void;
  readonly #known = new Map<ActionId, NonNullable<Revertable>>();
  readonly #writers = new Map<Resource, Set<ActionId>>();
  readonly #due = new Set<ActionId>();
  #looking = false;
  #stopped = false;

  constructor(core: Core, changed: (id: ActionId) => void) {
    this.#core = core;
    this.#changed = changed;
  }

  of(action: Action): Revertable {
    if (action.state !== 'applied') return null;
    if (!this.#canBe(action)) return { feasible: false, why: action.reversibleWhy };
    return this.#known.get(action.id) ?? { feasible: true, why: action.reversibleWhy };
  }

  /** What was found before this start. */
  remember(action: Action, revertable: Revertable): void {
    if (action.state !== 'applied' || !this.#canBe(action)) return;
    if (revertable !== null) this.#known.set(action.id, revertable);
    this.#index(action);
  }

  /** Its effect is in the world now, or is gone from it again. */
  happened(action: Action): void {
    for (const resource of action.content.writes) {
      for (const id of this.#writers.get(resource) ?? []) this.#due.add(id);
    }
    // What it needs goes back only together with it, from now on or no more.
    for (const id of action.needs) if (this.#known.has(id)) this.#due.add(id);
    if (action.state === 'applied' && this.#canBe(action)) {
      this.#index(action);
      this.#due.add(action.id);
    } else this.forget(action);
    if (this.#looking || this.#due.size === 0) return;
    this.#looking = true;
    // Not now: whoever says so is in the middle of writing down what happened.
    this.#core.options.clock.soon(() => void this.#look());
  }

  forget({ content, id }: Action): void {
    this.#known.delete(id);
    this.#due.delete(id);
    for (const resource of content.writes) {
      const writers = this.#writers.get(resource);
      writers?.delete(id);
      if (writers?.size === 0) this.#writers.delete(resource);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  #canBe(action: Action): boolean {
    const surface = this.#core.surfaceOf(action);
    return action.content.reversible && surface !== undefined && canRevert(surface);
  }

  #index({ content, id }: Action): void {
    for (const resource of content.writes) {
      const writers = this.#writers.get(resource);
      if (writers === undefined) this.#writers.set(resource, new Set([id]));
      else writers.add(id);
    }
  }

  async #look(): Promise<void> {
    for (const id of this.#due) {
      this.#due.delete(id);
      const action = this.#core.state.recent(id);
      const found = action === undefined ? null : await this.#found(action);
      if (this.#stopped) return;
      if (action === undefined || found === null || same(this.of(action), found)) continue;
      this.#known.set(id, found);
      this.#changed(id);
    }
    this.#looking = false;
  }

  async #found(action: Action): Promise<Revertable> {
    try {
      return await revertableNow(this.#core, action);
    } catch (error) {
      if (error instanceof InvariantError) this.#core.options.onFatal(error);
      return { feasible: false, why: `It could not be found out whether it can be reverted: ${messageOf(error)}` };
    }
  }
}

function same(a: Revertable, b: Revertable): boolean {
  return a?.feasible === b?.feasible && a?.why === b?.why;
}
