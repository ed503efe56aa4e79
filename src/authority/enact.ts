import { assert } from '../base/assert.ts';
import type { Actor, ApprovalSource } from '../model/action.ts';
import type { Decision, DecisionItem } from '../model/decision.ts';
import type { ItemResult } from '../model/event.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import { addStance, NO_STANCES, STANCE_KINDS, type AcceptedStance } from '../model/ruling.ts';
import type { Core } from './core.ts';
import { oweEdit, type OwedEdit } from './edit.ts';
import { rejectionKey } from './rejection-key.ts';
import type { ReissueMode } from './ports.ts';
import { keepLateReject } from './late-reject.ts';
import { oweReissue } from './owed.ts';
import { revertPlan } from './revert-plan.ts';
import { beginPlan } from './revert-steps.ts';
import { settle } from './settle.ts';
import { applyRuling, saidBy, setStances } from './stance.ts';
import { letThrough } from './standing.ts';

/** What a decision asks for that takes time, to be begun once the decision is durable. */
export type Follow =
  | { readonly type: 'drain' }
  /** All of these are written down in the decision's own commit, so that no crash forgets them. */
  | { readonly type: 'edit'; readonly owed: OwedEdit }
  | { readonly type: 'reissue'; readonly id: ActionId; readonly mode: ReissueMode }
  | { readonly type: 'revert'; readonly plan: string }
  /** A list that counts whole or not at all, kept with the decision until it was looked over. */
  | { readonly type: 'look-over'; readonly list: string };

/** Acts on the items that were received: all of it is staged, for the commit that makes the decision durable. */
export function enact(core: Core, decision: Decision, hash: Digest, results: readonly ItemResult[]): readonly Follow[] {
  const received = decision.items.filter((_, index) => results[index]?.result === 'received');
  for (const [index, item] of decision.items.entries())
    if (results[index]?.result === 'late') keepLateReject(core, decision, item);
  const follow: Follow[] = [{ type: 'drain' }];
  if (STANCE_KINDS.has(kindOf(decision))) {
    // All stances first: what one item ends must not stand in the way of the next one's ruling.
    for (const item of received) stand(core, decision, item, hash);
    for (const item of received) applyRuling(core, item.id, saidBy(decision));
    return follow;
  }
  if (decision.kind === 'revert') return [...follow, ...revertAll(core, decision, received)];
  for (const item of received) follow.push(...act(core, decision, item));
  return follow;
}

function kindOf(decision: Decision): AcceptedStance['kind'] {
  // reason: only item kinds carry items, and without items nothing is done with the kind
  return decision.kind as AcceptedStance['kind'];
}

function stand(core: Core, decision: Decision, item: DecisionItem, hash: Digest): void {
  const stance: AcceptedStance = {
    device: decision.device,
    n: decision.n,
    hash,
    kind: kindOf(decision),
    digest: item.digest,
    holdsLifted: decision.holdsLifted,
    ...(item.attention === undefined ? {} : { attention: item.attention }),
    ...(decision.note === undefined ? {} : { note: decision.note }),
  };
  setStances(core, item.id, addStance(core.stances.get(item.id) ?? NO_STANCES, stance));
}

/** Each group of steps goes its own way: one that is stopped does not stop what has nothing to do with it (CA-4). */
function revertAll(core: Core, decision: Decision, items: readonly DecisionItem[]): readonly Follow[] {
  const by: Actor = { type: 'device', device: decision.device, n: decision.n };
  const { groups } = revertPlan(
    core,
    items.map(({ id }) => id),
  );
  return groups.map((steps) => ({
    type: 'revert',
    plan: beginPlan(
      core,
      steps.map(({ id }) => id),
      by,
    ),
  }));
}

function modeOf({ body }: Decision): ReissueMode {
  return body?.['mode'] === 'theirs' ? 'theirs' : 'merge';
}

function act(core: Core, decision: Decision, item: DecisionItem): readonly Follow[] {
  const action = core.action(item.id);
  assert(action !== undefined, 'a received item names an action');
  const { device, n } = decision;
  const by: ApprovalSource = { type: 'decision', device, n };
  switch (decision.kind) {
    case 'reissue':
      return [{ type: 'reissue', ...oweReissue(core, action, modeOf(decision)) }];
    case 'edit':
      return [{ type: 'edit', owed: oweEdit(core, action, decision) }];
    case 'retry':
      core.transit(action, { kind: 'retried', by });
      return [];
    case 'settle':
      settle(core, action, decision.body?.['answer'] === 'happened', { type: 'device', device, n });
      return [];
    case 'reconsider':
      core.store.drop('meta', rejectionKey(core.sessionOf(action), action.digest));
      return [];
    case 'anyway':
      letThrough(core, item, decision.device);
      return [];
    default:
      return [];
  }
}
