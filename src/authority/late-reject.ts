import type { Action } from '../model/action.ts';
import type { Decision, DecisionItem } from '../model/decision.ts';
import type { ActionId, DeviceId } from '../model/ids.ts';
import type { Core } from './core.ts';
import { endActions } from './ending.ts';
import { saidBy } from './stance.ts';

/** A no that came after the commit point stands on the card from then on, beside the revert that answers it (CA-5). */
export function keepLateReject(core: Core, decision: Decision, item: DecisionItem): void {
  core.store.put('meta', key(item), decision.n, false, { device: decision.device, n: decision.n });
  const action = core.action(item.id);
  if (action !== undefined) core.watch.action(action);
}

/** The attempt it came too late for never began: it counts after all, as it would have then. */
export function rejectLate(core: Core, id: ActionId, decision: Decision): void {
  const { device, n } = decision;
  const said = saidBy(decision);
  core.store.drop('meta', key({ id }));
  endActions(core, [id], {
    ...said,
    by: { type: 'device', device, n },
    reason: decision.note ?? said.change?.say ?? null,
  });
}

/** Who said no too late, in a sentence; `null` when nobody did. */
export function lateReject(core: Core, action: Action): string | null {
  // reason: written by `keepLateReject` only
  const late = core.store.record('meta', key(action)) as { readonly device: DeviceId } | undefined;
  if (late === undefined) return null;
  const name = core.options.roster.device(late.device)?.nickname ?? late.device;
  const revert = action.content.reversible ? ' It can be reverted.' : '';
  return `${name} rejected it after it had begun.${revert}`;
}

function key({ id }: Pick<Action, 'id'>): string {
  return `late-reject:${id}`;
}
