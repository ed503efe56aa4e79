import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';

/**
 * Which applied actions need an action, also when all of them have left memory (CA-4). A chain in the journal: each
 * edge names the one before it, so that a new one costs the same however long the history is, and a revert reads only
 * what it is about. The first of a chain has nobody before it, and so no edge. `first`: it was never applied before.
 */
export function keepNeeds(core: Core, action: Action, { first }: { readonly first: boolean }): void {
  for (const need of action.needs) {
    const last = newest(core, need);
    if (last === action.id || (!first && isKept(core, need, action.id))) continue;
    if (last !== undefined) core.store.put('meta', edgeKey(need, action.id), action.seq, false, { before: last });
    core.store.put('meta', newestKey(need), action.seq, false, { newest: action.id });
  }
}

function isKept(core: Core, need: ActionId, dependant: ActionId): boolean {
  for (let id = newest(core, need); id !== undefined; id = before(core, need, id)) if (id === dependant) return true;
  return false;
}

/** Those that were applied and needed this one, newest first; what became of them since is theirs to say. */
export function* onceAppliedOn(core: Core, need: ActionId): Generator<Action> {
  for (let id = newest(core, need); id !== undefined; id = before(core, need, id)) {
    const action = core.action(id);
    if (action !== undefined) yield action;
  }
}

function newest(core: Core, need: ActionId): ActionId | undefined {
  // reason: written by `keepNeeds` only
  const record = core.store.record('meta', newestKey(need)) as { readonly newest: ActionId } | undefined;
  return record?.newest;
}

function before(core: Core, need: ActionId, dependant: ActionId): ActionId | undefined {
  // reason: written by `keepNeeds` only
  const record = core.store.record('meta', edgeKey(need, dependant)) as
    | { readonly before: ActionId | null }
    | undefined;
  return record?.before ?? undefined;
}

function newestKey(need: ActionId): string {
  return `needed:${need}`;
}

function edgeKey(need: ActionId, dependant: ActionId): string {
  return `needs:${need}/${dependant}`;
}
