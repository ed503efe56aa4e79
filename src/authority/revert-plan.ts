import type { Action } from '../model/action.ts';
import type { Decision, DecisionItem } from '../model/decision.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import type { RevertPlanShown } from '../model/owner-port.ts';
import { planHash, planReverts, type RevertIndex, type RevertPlan } from '../model/revert-plan.ts';
import { err, ok, type Result } from '../base/result.ts';
import { onceAppliedOn } from './applied-needs.ts';
import { cardOf } from './card-of.ts';
import type { Core } from './core.ts';
import { revertableAlone, type Revertable } from './revertable.ts';

/** What reverting these takes back as things are now. */
export function revertPlan(core: Core, roots: readonly ActionId[]): RevertPlan<Action> {
  return planReverts(indexOf(core), roots);
}

/** What stands on an applied action and must stay, or go first; `undefined` when nothing does. */
export function stillNeeding(core: Core, id: ActionId): Action | undefined {
  const { inTheWay, steps } = revertPlan(core, [id]);
  return inTheWay[0] ?? steps.find((step) => step.id !== id);
}

function hashOfPlan(core: Core, { steps }: Pick<RevertPlan<Action>, 'steps'>): Digest {
  return planHash(core.options.crypto.sha256, core.options.workspace, steps);
}

function indexOf(core: Core): RevertIndex<Action> {
  return {
    action: (id) => core.action(id),
    *dependantsOf(id) {
      yield* core.state.dependantsOf(id);
      for (const action of onceAppliedOn(core, id)) if (core.state.open(action.id) === undefined) yield action;
    },
  };
}

/** One plan for the whole decision, asked for by each of its items. */
const plans = new WeakMap<Decision, RevertPlan<Action>>();

/**
 * May this item of a revert count (CA-4)? What is taken back beyond the items themselves was signed by its hash, nothing
 * of it is impossible, and nothing that needs it is in the middle of something.
 */
export function judgeRevert(core: Core, decision: Decision, item: DecisionItem): Result<void> {
  const plan = plans.get(decision) ?? revertPlan(core, rootsOf(core, decision));
  plans.set(decision, plan);
  const group = plan.groups.find((steps) => steps.some((step) => step.id === item.id)) ?? [];
  const name = `#${core.action(item.id)?.seq ?? ''}`;
  const waiting = plan.inTheWay.find(({ needs }) => group.some((step) => needs.includes(step.id)));
  if (waiting !== undefined)
    return err(`${name} cannot be reverted now: #${waiting.seq}, which needs it, is ${waiting.state}.`);
  const firm = group.find((step) => !step.content.reversible);
  if (firm !== undefined && firm.id !== item.id)
    return err(`${name} cannot be reverted: #${firm.seq} stands on it and cannot be. ${firm.reversibleWhy}`);
  const named = new Set(decision.items.map(({ id }) => id));
  const others = group.filter((step) => !named.has(step.id));
  const signed = decision.body?.['planHash'];
  if (signed === undefined && others.length === 0) return ok(undefined);
  if (signed === hashOfPlan(core, plan)) return ok(undefined);
  if (others.length === 0) return err(`What reverting ${name} takes back has changed; look at it again.`);
  const first = listOf(others.map(({ seq }) => `#${seq}`));
  return err(
    `Reverting ${name} takes back ${first} first, because ${others.length === 1 ? 'it needs' : 'they need'} it.`,
  );
}

/** The items that can be meant: what is applied, as it was when it was decided. */
function rootsOf(core: Core, { items }: Decision): readonly ActionId[] {
  return items.flatMap(({ digest, id }) => {
    const action = core.action(id);
    return action?.state === 'applied' && action.digest === digest ? [id] : [];
  });
}

/** The plan as a person looks at it before signing: each step with whether it can be done as things are. */
export async function shownPlan(core: Core, action: Action): Promise<RevertPlanShown | null> {
  if (action.state !== 'applied') return null;
  const plan = revertPlan(core, [action.id]);
  const steps = await Promise.all(
    plan.steps.map(async (step) => {
      const { feasible, why } = await stepNow(core, plan, step);
      return { id: step.id, seq: step.seq, title: cardOf(core, step).title, feasible, why };
    }),
  );
  const inTheWay = plan.inTheWay.map(({ id, seq, state }) => ({ id, seq, state }));
  return { hash: hashOfPlan(core, plan), steps, inTheWay };
}

/** Offered only when the authors say that all of it can be done, and tested again now (CA-2). */
export async function revertableNow(core: Core, action: Action): Promise<Revertable> {
  const alone = { steps: [action], inTheWay: [] };
  const plan = action.state === 'applied' ? revertPlan(core, [action.id]) : alone;
  const [waiting] = plan.inTheWay;
  if (waiting !== undefined) return { feasible: false, why: `#${waiting.seq}, which needs it, is ${waiting.state}.` };
  if (plan.steps.length <= 1) return revertableAlone(core, action);
  for (const step of plan.steps) {
    const { feasible, why } = await stepNow(core, plan, step);
    if (!feasible) return { feasible, why: step.id === action.id ? why : `#${step.seq} stands on it: ${why}` };
  }
  const others = plan.steps.filter(({ id }) => id !== action.id).map(({ seq }) => `#${seq}`);
  return { feasible: true, why: `It takes back ${listOf(others)} first.` };
}

/** What others of the plan stand on can only be looked at when they are gone. */
async function stepNow(
  core: Core,
  { steps }: Pick<RevertPlan<Action>, 'steps'>,
  step: Action,
): Promise<NonNullable<Revertable>> {
  const stoodOn = steps.some(({ needs }) => needs.includes(step.id));
  if (!stoodOn || !step.content.reversible)
    return (await revertableAlone(core, step)) ?? { feasible: false, why: `It is ${step.state}.` };
  return { feasible: true, why: 'It is looked at when what stands on it is back.' };
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
