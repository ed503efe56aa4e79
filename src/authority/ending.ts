import { assert } from '../base/assert.ts';
import type { Action, Actor, RejectedBecause } from '../model/action.ts';
import { planCascade, type CascadePlan } from '../model/cascade.ts';
import type { ActionId, SessionId } from '../model/ids.ts';
import type { ActionRef, LineRemark } from '../model/notice-facts.ts';
import { cardOf } from './card-of.ts';
import type { Core } from './core.ts';
import { rejectionKey } from './rejection-key.ts';
import { raiseAttention } from './refresh.ts';

/** What a person asks for instead (SM-11). */
export interface Change {
  readonly say: string;
  readonly remarks: readonly LineRemark[];
}

export interface Ending {
  readonly because: RejectedBecause;
  readonly by: Actor;
  readonly reason: string | null;
  readonly change: Change | null;
  /** For a cascade that comes late: whose end it follows from. */
  readonly felledBy?: ActionId;
  /** The person's own version that stands in its place; `null` where what they want is there already. */
  readonly replacedBy?: ActionRef | null;
}

/**
 * Ends open actions, and with them all that needs them (CA-1): transitions, overlay, notices and what must be looked
 * at again go into one commit. Answers what fell.
 */
export function endActions(core: Core, roots: readonly ActionId[], ending: Ending): readonly ActionId[] {
  const plan = planCascade(core.state, roots);
  const open = roots.map((id) => core.state.open(id)).filter((action) => action !== undefined);
  for (const action of open) {
    // Who withdraws has the answer of that call.
    if (ending.because !== 'withdrawn') tell(core, action, ending, plan);
    if (ending.because === 'person' || ending.because === 'user-edited') remember(core, action);
  }
  for (const action of open)
    core.transit(action, {
      kind: 'rejected',
      because: ending.because,
      by: ending.by,
      reason: ending.reason,
      felledBy: ending.felledBy ?? null,
    });
  fell(core, plan, roots, ending.by);
  return plan.falls;
}

/** What falls with an ended or reverted action, and what must be looked at again after it. */
export function fell(core: Core, plan: CascadePlan, roots: readonly ActionId[], by: Actor): void {
  const [felledBy] = roots;
  assert(felledBy !== undefined, 'a cascade has a root');
  if (plan.falls.length > 0) for (const root of roots) core.store.put('meta', fellKey(root), 0, false, plan.falls);
  for (const id of plan.falls) {
    const action = core.state.open(id);
    if (action !== undefined)
      core.transit(action, { kind: 'rejected', because: 'cascade', by, reason: null, felledBy });
  }
  for (const id of plan.lookAgain) {
    const action = core.state.open(id);
    if (action !== undefined)
      raiseAttention(core, action, 'premise-withdrawn', 'It was made after reading what is now withdrawn.');
  }
}

/** What fell with a rejected or reverted action. */
export function fellWith(core: Core, id: ActionId): readonly ActionId[] {
  // reason: written by `fell` only
  return (core.store.record('meta', fellKey(id)) as readonly ActionId[] | undefined) ?? [];
}

function fellKey(id: ActionId): string {
  return `fell:${id}`;
}

export function refsOf(core: Core, ids: Iterable<ActionId>): readonly ActionRef[] {
  return [...ids].flatMap((id) => {
    const action = core.action(id);
    return action === undefined ? [] : [{ id, seq: action.seq }];
  });
}

function tell(core: Core, action: Action, ending: Ending, plan: CascadePlan): void {
  const facts = {
    id: action.id,
    seq: action.seq,
    tool: action.content.tool,
    target: cardOf(core, action).target,
    fell: refsOf(core, plan.falls),
    restart: refsOf(core, shownTo(plan, action.lineage.root)),
  };
  const by = ending.by.type === 'device' ? nicknameOf(core, ending.by) : null;
  const session = core.sessionOf(action);
  if (ending.change === null)
    core.notify(session, {
      ...facts,
      type: 'rejected',
      because: ending.because,
      by,
      reason: ending.reason,
      ...(ending.replacedBy === undefined || ending.replacedBy === null ? {} : { replacedBy: ending.replacedBy }),
    });
  else core.notify(session, { ...facts, type: 'change-requested', by: by ?? 'a person', ...ending.change });
}

export function shownTo(plan: CascadePlan, session: SessionId): readonly ActionId[] {
  return plan.restart.get(session) ?? [];
}

export function nicknameOf(core: Core, by: Extract<Actor, { type: 'device' }>): string {
  return core.options.roster.device(by.device)?.nickname ?? by.device;
}

/** The same call is answered from here from now on, until a person asks again (SM-8). */
function remember(core: Core, action: Action): void {
  const session = core.sessionOf(action);
  core.store.put('meta', rejectionKey(session, action.digest), action.seq, false, { action: action.id });
  if (!session.record.rejections) core.saveSession({ ...session.record, rejections: true });
}
