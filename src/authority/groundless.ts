import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import { endActions } from './ending.ts';

/** Rejected or reverted: what needs it stands on nothing. */
export function isGone(core: Core, id: ActionId): boolean {
  const action = core.action(id);
  return action?.state === 'rejected' || action?.state === 'reverted';
}

/**
 * A dependant that was past its commit point when its need was withdrawn falls as soon as it is known that it did not
 * happen (CA-1).
 */
export function fallIfGroundless(core: Core, action: Action): void {
  const need = action.needs.find((id) => isGone(core, id));
  if (need === undefined) return;
  endActions(core, [action.id], {
    because: 'cascade',
    by: { type: 'authority' },
    reason: null,
    change: null,
    felledBy: need,
  });
}
