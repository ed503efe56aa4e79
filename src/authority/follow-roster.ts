import type { Action } from '../model/action.ts';
import type { ActionId, DeviceId } from '../model/ids.ts';
import type { Stances } from '../model/ruling.ts';
import type { Core } from './core.ts';
import { sweepRules } from './rules.ts';
import { approvalHolds, applyRuling, setStances } from './stance.ts';
import { stillMay } from './still-may.ts';

/**
 * Brings what is open in line with the roster, if that has changed since it was last done: approvals and holds of who
 * is gone no longer count, nor do approvals that a lowered right does not allow any more; rejects were final when they
 * were taken (DC-8). All of it is staged. Answers whether it was.
 */
export function followRoster(core: Core): boolean {
  const number = core.options.roster.number();
  if (core.rosterNumber === number) return false;
  core.rosterNumber = number;
  core.store.put('meta', 'roster', 0, false, number);
  const gone = (device: DeviceId): boolean => core.options.roster.device(device)?.revoked !== false;
  for (const [id, stances] of core.stances) {
    const above = dropAbove(core, id, stances);
    if (!above && [...stances.values()].every(({ device }) => !gone(device))) continue;
    core.watch.stances(id);
    withdraw(core, id);
    // Somebody else may have approved or held it as well.
    applyRuling(core, id);
  }
  sweepRules(core);
  for (const id of core.letThrough.keys()) core.watch.stances(id);
  // A retry is approved without a stance.
  for (const { id } of core.state.openActions()) withdraw(core, id);
  return true;
}

/** For good: a right that is raised again brings back no approval from before. What only stops something stays. */
function dropAbove(core: Core, id: ActionId, stances: Stances): boolean {
  const action = core.state.open(id);
  if (action === undefined) return false;
  const kept = [...stances].filter(([, { device, kind }]) => kind !== 'approve' || !isAbove(core, device, action));
  if (kept.length === stances.size) return false;
  setStances(core, id, new Map(kept));
  return true;
}

function isAbove(core: Core, id: DeviceId, action: Action): boolean {
  const counts = core.options.roster.device(id)?.revoked === false && !core.frozen.has(id);
  return counts && !stillMay(core, id, 'approve', action);
}

function withdraw(core: Core, id: ActionId): void {
  const action = core.state.open(id);
  if (action?.state !== 'approved' || approvalHolds(core, action)) return;
  core.transit(action, { kind: 'approval-withdrawn', why: 'revoked' });
}
