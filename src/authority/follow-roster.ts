import type { DeviceId } from '../model/ids.ts';
import type { Core } from './core.ts';
import { sweepRules } from './rules.ts';
import { approvalHolds, applyRuling } from './stance.ts';

/**
 * Brings what is open in line with the roster, if that has changed since it was last done: approvals and holds of who
 * is gone no longer count, rejects were final when they were taken (DC-8). All of it is staged. Answers whether it was.
 */
export function followRoster(core: Core): boolean {
  const number = core.options.roster.number();
  if (core.rosterNumber === number) return false;
  core.rosterNumber = number;
  core.store.put('meta', 'roster', 0, false, number);
  const gone = (device: DeviceId): boolean => core.options.roster.device(device)?.revoked !== false;
  for (const [id, stances] of core.stances) {
    if ([...stances.values()].every(({ device }) => !gone(device))) continue;
    core.watch.stances(id);
    withdraw(core, id);
    // Somebody else may have approved or held it as well.
    applyRuling(core, id);
  }
  sweepRules(core);
  // A retry is approved without a stance.
  for (const { id } of core.state.openActions()) withdraw(core, id);
  return true;
}

function withdraw(core: Core, id: Parameters<Core['state']['open']>[0]): void {
  const action = core.state.open(id);
  if (action?.state !== 'approved' || approvalHolds(core, action)) return;
  core.transit(action, { kind: 'approval-withdrawn', why: 'revoked' });
}
