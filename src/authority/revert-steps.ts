import { assert } from '../base/assert.ts';
import type { Action, Actor, Intent } from '../model/action.ts';
import { planCascade } from '../model/cascade.ts';
import type { ActionId, DeviceId } from '../model/ids.ts';
import { cardOf } from './card-of.ts';
import type { Core } from './core.ts';
import { fell, nicknameOf, refsOf, shownTo } from './ending.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import type { RevertOutcome } from './ports.ts';
import { stillNeeding } from './revert-plan.ts';
import { stillMay } from './still-may.ts';
import { transactRevert } from './transaction.ts';

export type Reverting = Extract<Action, { state: 'reverting' }>;

/** What is to be taken back, in this order, and what of it is not done yet: kept until all of it is, or one is stopped. */
export interface OpenPlan {
  readonly steps: readonly ActionId[];
  readonly by: Actor;
}

export const PLAN_PREFIX = 'revert-plan:';

/** Stages a plan with the intent of its first step (CA-4). Answers what `Reverts` performs it by. */
export function beginPlan(core: Core, steps: readonly ActionId[], by: Actor): string {
  const key = `${PLAN_PREFIX}${steps[0] ?? ''}`;
  keepPlan(core, key, { steps, by });
  advance(core, key);
  return key;
}

export function keepPlan(core: Core, key: string, plan: OpenPlan): void {
  core.store.put('meta', key, 0, true, plan);
  for (const id of plan.steps) core.revertPlans.set(id, key);
}

function dropPlan(core: Core, key: string): void {
  for (const id of openPlan(core, key)?.steps ?? []) core.revertPlans.delete(id);
  core.store.drop('meta', key);
}

/** The step that goes back before this one; `undefined` for what is not being taken back. */
export function goesBackAfter(core: Core, action: Action): Action | undefined {
  const key = action.state === 'applied' ? core.revertPlans.get(action.id) : undefined;
  return key === undefined ? undefined : stepUnderWay(core, key);
}

export function openPlan(core: Core, key: string): OpenPlan | undefined {
  // reason: written by `keepPlan` only
  return core.store.record('meta', key) as unknown as OpenPlan | undefined;
}

/** The step whose intent is staged, and whose outcome is not. */
export function stepUnderWay(core: Core, key: string): Reverting | undefined {
  const actions = openPlan(core, key)?.steps.map((id) => core.action(id)) ?? [];
  return actions.find((action) => action?.state === 'reverting');
}

/**
 * Stages the intent of the next step, in the commit that holds the outcome of the one before. What has changed since the
 * plan was signed stops it: nothing is ever taken back from under something that stands on it.
 */
export function advance(core: Core, key: string): void {
  const plan = openPlan(core, key);
  for (const id of plan?.steps ?? []) {
    const action = core.action(id);
    if (plan === undefined || action === undefined || action.state === 'reverted') continue;
    const why = hindrance(core, action, plan.by);
    if (why !== undefined || action.state !== 'applied') return stopPlan(core, key, action, why ?? '');
    const begun = beginStep(core, action, plan.by);
    if (core.surfaceOf(action)?.revertInTransaction === undefined) return;
    const outcome = transactRevert(core, begun);
    recordRevert(core, id, outcome, plan.by);
    if (outcome.type !== 'reverted') return stopPlan(core, key, action, outcome.why);
  }
  dropPlan(core, key);
}

/** Writes down what became of a step, and what follows from it for the plan. */
export function endStep(core: Core, key: string, action: Reverting, outcome: RevertOutcome): void {
  const by = openPlan(core, key)?.by ?? { type: 'authority' };
  recordRevert(core, action.id, outcome, by);
  if (outcome.type === 'reverted') advance(core, key);
  else stopPlan(core, key, action, outcome.why);
}

function hindrance(core: Core, action: Action, by: Actor): string | undefined {
  if (action.state !== 'applied') return `It is ${action.state}.`;
  // Each step is an intent of its own, and what a removed device asked for ends at the commit point (DC-8).
  if (by.type === 'device' && !stillMay(core, by.device, 'revert', action)) return goneWhy(core, by.device);
  const needing = stillNeeding(core, action.id);
  return needing && `#${needing.seq}, which needs it, is ${needing.state}.`;
}

function goneWhy({ frozen, options }: Core, device: DeviceId): string {
  const gone = options.roster.device(device)?.revoked !== false || frozen.has(device);
  return `The device that asked for it ${gone ? 'is removed' : 'may not ask for it any more'}.`;
}

/** A blocked step stops the plan: what is left stays applied, and says why (CA-4). */
function stopPlan(core: Core, key: string, at: Action, why: string): void {
  for (const id of openPlan(core, key)?.steps ?? []) {
    const action = core.action(id);
    // The step that refused has said so itself.
    if (action?.state !== 'applied' || (id === at.id && at.state === 'reverting')) continue;
    const because = id === at.id ? why : `#${at.seq} had to go back first, and did not. ${why}`;
    core.transit(action, { kind: 'revert-refused', why: `Not reverted: ${because}` });
  }
  dropPlan(core, key);
}

/** A revert belongs to its action: attempts r1, r2 …, each with an intent like any effect (CA-3). */
function beginStep(core: Core, action: Action, by: Actor): Reverting {
  const atMs = core.nowMs();
  const attempt = action.revertAttempts + 1;
  const intent: Intent = {
    attempt,
    idempotencyKey: `${action.id}-r${attempt}`,
    atMs,
    deadlineMs: atMs + AUTHORITY_LIMITS.effectMsMax,
  };
  const { action: reverting } = core.transit(action, { kind: 'revert-begun', intent, by });
  assert(reverting.state === 'reverting', 'the intent of a revert makes an action reverting');
  return reverting;
}

/** What became of one revert; what still needed the action falls with it (CA-1). */
export function recordRevert(core: Core, id: ActionId, outcome: RevertOutcome, by: Actor): void {
  const action = core.state.open(id);
  assert(action?.state === 'reverting' || action?.state === 'revert-in-doubt', 'a revert outcome belongs to a revert');
  if (outcome.type === 'in-doubt') {
    if (action.state === 'reverting') core.transit(action, { kind: 'revert-doubted', why: outcome.why });
    return;
  }
  if (outcome.type === 'refused') {
    core.transit(action, { kind: 'revert-refused', why: `Not reverted: ${outcome.why}` });
    return;
  }
  const plan = planCascade(core.state, [id]);
  core.notify(core.sessionOf(action), {
    type: 'reverted',
    id,
    seq: action.seq,
    tool: action.content.tool,
    target: cardOf(core, action).target,
    by: by.type === 'device' ? nicknameOf(core, by) : null,
    fell: refsOf(core, plan.falls),
    restart: refsOf(core, shownTo(plan, action.lineage.root)),
  });
  core.transit(action, { kind: 'reverted' });
  fell(core, plan, [id], by);
}
