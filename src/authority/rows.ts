import { unreachable } from '../base/assert.ts';
import type { ActionDetail, QueueRow } from '../model/owner-port.ts';
import { UNCOMMITTED_STATES, type Action } from '../model/action.ts';
import { planCascade } from '../model/cascade.ts';
import { changeSetOf } from '../model/change-set.ts';
import { waitsFor } from '../model/drain-plan.ts';
import type { ActionId } from '../model/ids.ts';
import { mayHappenTwice } from '../model/lifecycle.ts';
import { cardOf } from './card-of.ts';
import type { Core } from './core.ts';
import { refsOf } from './ending.ts';
import { shutGate } from './gates.ts';
import { resolvedWhy } from './resolve.ts';
import { revertableNow, shownPlan } from './revert-plan.ts';
import { goesBackAfter } from './revert-steps.ts';
import { historyOf } from './history.ts';
import { lateReject } from './late-reject.ts';
import { stancesOn } from './stance.ts';

/** What `queue` shows of an action. */
export function rowOf(core: Core, action: Action): QueueRow {
  const { content } = action;
  const card = cardOf(core, action);
  const attention = 'attention' in action ? (action.attention ?? null) : null;
  const before = goesBackAfter(core, action);
  const waits = before === undefined ? waitsFor(core.state, action.id) : [before.id];
  return {
    id: action.id,
    seq: action.seq,
    session: action.lineage.session,
    level: 'advisory',
    kind: content.kind.tag,
    tool: content.tool,
    state: action.state,
    title: card.title,
    target: card.target,
    digest: action.digest,
    effectClass: content.effectClass,
    reversible: content.reversible,
    verdict: action.verdict,
    why: whyOf(core, action),
    attention,
    needs: action.needs,
    saw: core.state.saw(action),
    waitsFor: waits,
    gate: gateOf(core, action),
    contradicted: (action.state === 'applied' || action.state === 'not-applied') && action.contradicted,
    mayHappenTwice: UNCOMMITTED_STATES.has(action.state) && mayHappenTwice(action),
    changeSet: changeSetOf(action),
    atMs: action.proposedAtMs,
  };
}

function gateOf(core: Core, action: Action): QueueRow['gate'] {
  const shut = action.state === 'approved' ? shutGate(core, action) : undefined;
  return shut === undefined ? null : { code: shut.code, untilMs: shut.untilMs };
}

/** Everything about one action: the row, what hangs on it, and what happened to it. */
export async function detailOf(core: Core, action: Action): Promise<ActionDetail> {
  const revertable = await revertableNow(core, action);
  const plan = await shownPlan(core, action);
  const cascade = planCascade(core.state, [action.id]);
  const stances = stancesOn(core, action.id);
  return {
    row: rowOf(core, action),
    action,
    falls: cascade.falls,
    lookAgain: cascade.lookAgain,
    revertable,
    revertPlan: plan,
    history: historyOf(core, action),
    holds: stances
      .filter((stance) => stance.kind === 'hold')
      .map((stance) => ({
        hash: stance.hash,
        by: core.options.roster.device(stance.device)?.nickname ?? stance.device,
      })),
  };
}

/** Why it stands where it stands, in a sentence. */
export function whyOf(core: Core, action: Action): string | null {
  switch (action.state) {
    case 'pending':
      return (
        core.ground.whyOf(action) ??
        action.attention?.why ??
        (mayHappenTwice(action) ? TWICE : null) ??
        replacedWhy(core, action) ??
        (action.content.awaitDecision ? 'The agent waits for this.' : besideWhy(core, action))
      );
    case 'held':
      return (
        action.attention?.why ??
        (action.parked.own ? 'On hold.' : `Parked with ${numbers(core, action.parked.heldWith)}.`)
      );
    case 'failed':
    case 'in-doubt':
    case 'revert-in-doubt':
      return action.why;
    case 'not-applied':
      if (action.contradicted) return action.remark;
      return mayHappenTwice(action) ? TWICE : 'It did not happen.';
    case 'rejected':
      return rejectedWhy(core, action);
    case 'applied':
      return action.remark ?? lateReject(core, action) ?? action.applied.drift ?? resolvedWhy(action);
    case 'approved':
      return shutGate(core, action)?.why ?? action.remark;
    case 'applying':
      return action.remark ?? resolvedWhy(action);
    case 'reverting':
    case 'reverted':
      return action.remark;
    default:
      return unreachable(action);
  }
}

const TWICE = 'A person says it did not happen; if that is wrong, a retry happens twice.';

/** Whose version it is, where a person has corrected what the agent asked for. */
function replacedWhy(core: Core, { replaces }: Action): string | null {
  if (replaces === undefined) return null;
  const by = core.options.roster.device(replaces.device)?.nickname ?? replaces.device;
  return `${by} made this in place of ${numbers(core, [replaces.id])}.`;
}

/** Another session has pending work on the same thing; whoever is applied second meets what the first has done (SM-10). */
function besideWhy(core: Core, action: Action): string | null {
  const beside = new Set<ActionId>();
  for (const session of core.state.sessions()) {
    if (session.record.root === action.lineage.root) continue;
    for (const resource of action.content.writes) for (const id of session.overlay.makersOf(resource)) beside.add(id);
  }
  return beside.size === 0 ? action.remark : `Another session has pending work on this too: ${numbers(core, beside)}.`;
}

function rejectedWhy(core: Core, action: Extract<Action, { state: 'rejected' }>): string {
  if (action.felledBy !== null) return `Fell with ${numbers(core, [action.felledBy])}.`;
  if (action.because === 'surface-removed') return 'What would apply it is not installed any more.';
  if (action.because === 'withdrawn') return 'The agent withdrew it.';
  if (action.because === 'user-edited') return action.reason ?? 'Your own version stays.';
  return action.reason ?? 'Rejected.';
}

function numbers(core: Core, ids: Iterable<ActionId>): string {
  return refsOf(core, ids)
    .map(({ seq }) => `#${seq}`)
    .join(', ');
}
