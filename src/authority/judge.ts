import { unreachable } from '../base/assert.ts';
import { mayDecide } from '../access/rights.ts';
import { err, ok, type Result } from '../base/result.ts';
import { UNCOMMITTED_STATES, type Action } from '../model/action.ts';
import type { Decision, DecisionItem, ItemKind } from '../model/decision.ts';
import type { ItemResult } from '../model/event.ts';
import { planHold } from '../model/hold.ts';
import { blocksApproval, mayHappenTwice } from '../model/lifecycle.ts';
import type { Core } from './core.ts';
import { judgeEdit } from './edit.ts';
import { planModeOf } from './plan-mode.ts';
import { isUndecided } from './refresh.ts';
import { judgeRevert } from './revert-plan.ts';
import { stancesOn } from './stance.ts';

/** Does this item of a decision count? Looks only; `enact` acts on what was received. */
export function judge(core: Core, decision: Decision, item: DecisionItem): ItemResult {
  const action = core.action(item.id);
  if (action === undefined) return { id: item.id, result: 'refused', why: 'There is no such action.' };
  const verdict = allowed(core, decision, item, action);
  if (verdict.ok) return { id: item.id, result: verdict.value, why: verdict.value === 'late' ? lateWhy(action) : null };
  return { id: item.id, result: 'refused', why: verdict.error };
}

type Allowed = Result<'received' | 'late'>;
const RECEIVED: Allowed = ok('received');

function allowed(core: Core, decision: Decision, item: DecisionItem, action: Action): Allowed {
  const device = core.options.roster.device(decision.device);
  const right = mayDecide(device?.right ?? 'view', decision.kind, { reversible: action.content.reversible });
  if (!right.ok) return right;
  if (item.digest !== action.digest) return err(`#${action.seq} has changed since this was decided; look at it again.`);
  // reason: a decision with items is of an item kind; parseDecision refuses every other
  return fits(core, decision, item, action, decision.kind as ItemKind);
}

function fits(core: Core, decision: Decision, item: DecisionItem, action: Action, kind: ItemKind): Allowed {
  switch (kind) {
    case 'approve':
      return approvable(action, item);
    case 'reject':
    case 'change':
      return rejectable(action);
    case 'hold':
      return holdable(core, action);
    case 'release':
      return releasable(core, decision, action);
    case 'retract':
      return retractable(core, decision, action);
    case 'reissue':
      return isUndecided(action) ? RECEIVED : outOf(action, 'only what has not begun can be made anew');
    case 'revert':
      return revertible(core, decision, item, action);
    case 'retry':
      return retriable(core, decision, item, action);
    case 'settle':
      return settleable(decision, action);
    case 'reconsider':
      return action.state === 'rejected' ? RECEIVED : outOf(action, 'only a rejected action can be asked for again');
    case 'anyway':
      return passable(core, action, item);
    case 'edit': {
      const edit = judgeEdit(core, action, decision);
      return edit.ok ? RECEIVED : edit;
    }
    default:
      return unreachable(kind);
  }
}

function approvable(action: Action, item: DecisionItem): Allowed {
  if (!isUndecided(action))
    return outOf(action, action.state === 'failed' || action.state === 'not-applied' ? 'retry or reject it' : null);
  // No approval says that, so that none that was meant for an earlier attempt begins the next one (EF-6).
  if (mayHappenTwice(action)) return err(twiceWhy(action));
  return answered(action, item);
}

/** Does the item say yes to what the action is now, after all that was raised about it? */
function answered(action: Action, item: DecisionItem): Allowed {
  const attention = action.newestAttention;
  if (blocksApproval(attention))
    return err(`#${action.seq} is in conflict with the files as they are: resolve it with mine, theirs or ask.`);
  if (item.attention !== attention?.entry)
    return err(`Something about #${action.seq} was raised since this was decided; look at it again.`);
  return RECEIVED;
}

/** DR-8: only what is frozen can be let through, and only as it is now. */
function passable(core: Core, action: Action, item: DecisionItem): Allowed {
  if (action.state !== 'approved') return outOf(action, 'only what is approved can be applied anyway');
  if (planModeOf(core, action.lineage.root) === undefined)
    return err(`Plan mode is off, so nothing holds #${action.seq} back.`);
  if (item.attention !== action.newestAttention?.entry)
    return err(`Something about #${action.seq} was raised since this was decided; look at it again.`);
  return RECEIVED;
}

function rejectable(action: Action): Allowed {
  if (UNCOMMITTED_STATES.has(action.state)) return RECEIVED;
  // Past its commit point nothing ends it any more; that somebody said no stands on the card (CA-5).
  if (action.state === 'applying' || action.state === 'applied') return ok('late');
  if (action.state === 'in-doubt' || action.state === 'revert-in-doubt')
    return outOf(action, 'settle whether it happened first');
  return outOf(action, null);
}

/** A hold that could not park all that stands on the action is no hold: it is refused, and says what to settle first. */
function holdable(core: Core, action: Action): Allowed {
  if (!isUndecided(action)) return outOf(action, 'only what has not begun can be held');
  const plan = planHold(core.state, action.id);
  return plan.ok ? RECEIVED : plan;
}

function releasable(core: Core, decision: Decision, action: Action): Allowed {
  if (action.state !== 'held') return outOf(action, 'it is not held');
  const holds = stancesOn(core, action.id).filter((stance) => stance.kind === 'hold');
  if (holds.length === 0)
    return err(`#${action.seq} is parked with what it needs: ${heldWith(core, action)}. Release that.`);
  const lifts = holds.some((hold) => hold.device === decision.device || decision.holdsLifted.includes(hold.hash));
  return lifts ? RECEIVED : err(`#${action.seq} is held by another device; name its hold to lift it.`);
}

function heldWith(core: Core, action: Extract<Action, { state: 'held' }>): string {
  return action.parked.heldWith.map((id) => `#${core.action(id)?.seq ?? id}`).join(', ');
}

function retractable(core: Core, decision: Decision, action: Action): Allowed {
  if (!isUndecided(action)) return outOf(action, 'it is past the point where an approval can be taken back');
  const own = stancesOn(core, action.id).some(
    (stance) => stance.device === decision.device && (stance.kind === 'approve' || stance.kind === 'hold'),
  );
  // A retry is an approval, and no stance.
  const tried = action.state === 'approved' && action.by.type === 'decision' && action.by.device === decision.device;
  return own || tried
    ? RECEIVED
    : err(`This device has neither approved nor held #${action.seq}; there is nothing to undo.`);
}

function revertible(core: Core, decision: Decision, item: DecisionItem, action: Action): Allowed {
  if (action.state !== 'applied') return outOf(action, 'only what was applied can be reverted');
  if (!action.content.reversible) return err(`#${action.seq} cannot be reverted: ${action.reversibleWhy}`);
  if (core.revertPlans.has(action.id)) return err(`#${action.seq} is being taken back already.`);
  const planned = judgeRevert(core, decision, item);
  return planned.ok ? RECEIVED : planned;
}

function retriable(core: Core, decision: Decision, item: DecisionItem, action: Action): Allowed {
  const again = action.state === 'pending' && mayHappenTwice(action);
  if (action.state !== 'failed' && action.state !== 'not-applied' && !again)
    return outOf(action, 'only what failed can be tried again');
  if (hasNewerWord(core, decision, action))
    return err(`This device has said something newer of #${action.seq} than that it is to be tried again.`);
  if (mayHappenTwice(action) && decision.body?.['mayHappenTwice'] !== true) return err(twiceWhy(action));
  return again ? answered(action, item) : RECEIVED;
}

/** A retry is no stance, but it is older than one of its device with a higher number, whenever it arrives (DC-2). */
function hasNewerWord(core: Core, { device, n }: Decision, action: Action): boolean {
  return stancesOn(core, action.id).some((stance) => stance.device === device && stance.n > n);
}

function twiceWhy({ seq }: Action): string {
  return `#${seq} may happen twice if it is tried again; that needs its own yes.`;
}

function settleable(decision: Decision, action: Action): Allowed {
  if (action.state === 'applied' && action.contradicted) return acknowledgeable(decision, action);
  if (action.state !== 'in-doubt' && action.state !== 'revert-in-doubt')
    return outOf(action, 'only what is in doubt can be settled');
  if (decision.body?.['attempt'] !== action.intent.attempt)
    return err(`#${action.seq} is in doubt about attempt ${action.intent.attempt}, not the one this settles.`);
  return RECEIVED;
}

/** EF-6: a settle that agrees with the evidence takes the alarm away; one that denies it again changes nothing. */
function acknowledgeable({ body }: Decision, action: Extract<Action, { state: 'applied' }>): Allowed {
  if (body?.['answer'] !== 'happened') return err(`#${action.seq} did happen: revert it, or settle that it happened.`);
  return body['attempt'] === action.attempts
    ? RECEIVED
    : err(`#${action.seq} is at attempt ${action.attempts}, not the one this settles.`);
}

function outOf(action: Action, hint: string | null): Allowed {
  return err(`#${action.seq} is ${action.state}${hint === null ? '' : `: ${hint}`}.`);
}

function lateWhy(action: Action): string {
  if (action.state === 'applied')
    return action.content.reversible
      ? `#${action.seq} was applied before this arrived. It is recorded; a revert takes it back.`
      : `#${action.seq} was applied before this arrived. It is recorded, and cannot be reverted.`;
  return `#${action.seq} had begun before this arrived. It is recorded; if it is applied it can be reverted.`;
}
