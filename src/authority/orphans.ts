import { UNCOMMITTED_STATES, type Action } from '../model/action.ts';
import type { Core } from './core.ts';
import { endActions } from './ending.ts';

/**
 * Closes what nobody can apply any more, because what would do it is not installed (LC-6). What has begun keeps its
 * state: a person settles it, and it is closed then.
 */
export function closeOrphans(core: Core): void {
  const orphans = [...core.state.openActions()].filter((action) => isOrphaned(core, action));
  for (const { id } of orphans.toSorted((a, b) => a.place - b.place)) {
    const action = core.state.open(id);
    // It may have fallen with one before it.
    if (action !== undefined) closeIfOrphaned(core, action);
  }
}

export function closeIfOrphaned(core: Core, action: Action): boolean {
  if (!isOrphaned(core, action)) return false;
  endActions(core, [action.id], {
    because: 'surface-removed',
    by: { type: 'authority' },
    reason: null,
    change: null,
  });
  return true;
}

function isOrphaned(core: Core, action: Action): boolean {
  return UNCOMMITTED_STATES.has(action.state) && core.surfaceOf(action) === undefined;
}
