import type { Action, Actor } from '../model/action.ts';
import { planHold, planRelease } from '../model/hold.ts';
import type { Decision } from '../model/decision.ts';
import type { ActionId, DeviceId } from '../model/ids.ts';
import type { LineRemark } from '../model/notice-facts.ts';
import { mayHappenTwice } from '../model/lifecycle.ts';
import {
  factsOf,
  NO_STANCES,
  rule,
  type AcceptedStance,
  type Ruling,
  type StanceBy,
  type Stances,
} from '../model/ruling.ts';
import type { Core } from './core.ts';
import { endActions, type Change } from './ending.ts';
import { ruleStands } from './rule-approval.ts';
import { stillMay } from './still-may.ts';

/** What all stances on an open action come to now. */
export function rulingOn(core: Core, action: Action): Ruling {
  const stances = core.stances.get(action.id) ?? NO_STANCES;
  const devices = [...stances.values()].map((stance) => stance.device);
  const revoked = new Set(devices.filter((device) => core.options.roster.device(device)?.revoked !== false));
  return rule(stances, factsOf(action, { revoked, frozen: core.frozen }));
}

export function setStances(core: Core, id: ActionId, stances: Stances): void {
  core.stances.set(id, stances);
  core.watch.stances(id);
  core.store.put('stance', id, core.state.open(id)?.seq ?? 0, true, [...stances.values()]);
}

/** What a rejecting decision says besides no. */
export interface Said {
  readonly because: 'person' | 'user-edited';
  readonly change: Change | null;
}

const PLAIN_NO: Said = { because: 'person', change: null };

export function saidBy(decision: Decision): Said {
  const because = decision.body?.['because'] === 'user-edited' ? 'user-edited' : 'person';
  if (decision.kind !== 'change') return { because, change: null };
  const { say, remarks } = decision.body ?? {};
  // reason: parseDecision has checked the body of a change
  return {
    because,
    change: { say: typeof say === 'string' ? say : '', remarks: (remarks ?? []) as unknown as readonly LineRemark[] },
  };
}

/** Is whoever approved it still somebody whose approval counts (DR-6, DC-8)? A retry is approved without a stance. */
export function approvalHolds(core: Core, action: Extract<Action, { state: 'approved' }>): boolean {
  if (action.by.type === 'rule') return ruleStands(core, action.by.rule);
  return stillMay(core, action.by.device, 'approve', action) && !isPlainYes(core, action);
}

/** Version 1 let any approval begin what may happen twice, where only a retry says yes to that (EF-6). */
export function isPlainYes(core: Core, action: Extract<Action, { state: 'approved' }>): boolean {
  if (!mayHappenTwice(action) || action.by.type !== 'decision') return false;
  const { device, n } = action.by;
  return stancesOn(core, action.id).some((one) => one.device === device && one.n === n && one.kind === 'approve');
}

export function stancesOn(core: Core, id: ActionId): readonly AcceptedStance[] {
  return [...(core.stances.get(id) ?? NO_STANCES).values()];
}

/** Brings the action's state in line with the ruling on it. One that has begun is not touched (LC-2). */
export function applyRuling(core: Core, id: ActionId, said: Said = PLAIN_NO): void {
  const action = core.state.open(id);
  if (action === undefined) return;
  const ruling = rulingOn(core, action);
  switch (ruling.type) {
    case 'rejected':
      endActions(core, [id], { ...said, by: by(ruling.by), reason: ruling.reason ?? said.change?.say ?? null });
      return;
    case 'held':
      return park(core, action, by(ruling.by[0]));
    case 'approved':
      unpark(core, action, by(ruling.by));
      if (tookBackRetry(core, id)) return withdrawApproval(core, id);
      return approve(core, id, ruling.by);
    case 'none':
      unpark(core, action, { type: 'authority' });
      return standsByRetry(core, id) ? undefined : withdrawApproval(core, id);
  }
}

function by(stance: StanceBy | undefined): Actor {
  return stance === undefined ? { type: 'authority' } : { type: 'device', device: stance.device, n: stance.n };
}

function approve(core: Core, id: ActionId, source: StanceBy): void {
  const action = core.state.open(id);
  // What may happen twice is not begun by what was said before that was known (EF-6).
  if (action?.state !== 'pending' || mayHappenTwice(action)) return;
  core.transit(action, { kind: 'approved', by: { type: 'decision', device: source.device, n: source.n } });
}

function withdrawApproval(core: Core, id: ActionId): void {
  const action = core.state.open(id);
  if (action?.state !== 'approved' || (action.by.type === 'rule' && !isRetracted(core, id))) return;
  core.transit(action, { kind: 'approval-withdrawn', why: 'retracted' });
}

/** A retry is an approval and no stance: who asked for it takes it back, and what others said of it before does not. */
function standsByRetry(core: Core, id: ActionId): boolean {
  const action = core.state.open(id);
  if (action?.state !== 'approved' || action.by.type !== 'decision' || action.attempts === 0) return false;
  const { device, n } = action.by;
  const isStance = stancesOn(core, id).some((one) => one.device === device && one.n === n);
  return !isStance && approvalHolds(core, action) && !tookBack(core, id, action.by);
}

/** Somebody else's approval of an earlier attempt does not stand in for the yes to its happening twice (EF-6). */
function tookBackRetry(core: Core, id: ActionId): boolean {
  const action = core.state.open(id);
  if (action?.state !== 'approved' || !mayHappenTwice(action) || action.by.type !== 'decision') return false;
  return tookBack(core, id, action.by);
}

/** Has the device that said this taken it back since? */
function tookBack(core: Core, id: ActionId, { device, n }: { readonly device: DeviceId; readonly n: number }): boolean {
  return stancesOn(core, id).some((one) => one.device === device && one.n > n && one.kind === 'retract');
}

/** A person took back what they had said beside a rule: that they want to look again counts for more than the rule. */
function isRetracted(core: Core, id: ActionId): boolean {
  return stancesOn(core, id).some(({ kind }) => kind === 'retract');
}

function park(core: Core, action: Action, actor: Actor): void {
  const plan = planHold(core.state, action.id);
  // It cannot be parked with all that stands on it, but it does not begin either.
  if (!plan.ok) {
    if (action.state === 'approved') core.transit(action, { kind: 'approval-withdrawn', why: 'retracted' });
    return;
  }
  for (const { id, parked, place } of plan.value) {
    const member = core.state.open(id);
    if (member !== undefined)
      core.transit(member, { kind: 'held', parked, by: actor, ...(place === undefined ? {} : { place }) });
  }
}

/** Lifts the action's own hold; what is let go is ruled on again, since it may have been approved before (DR-9). */
function unpark(core: Core, action: Action, actor: Actor): void {
  if (action.state !== 'held' || !action.parked.own) return;
  const plan = planRelease(core.state, action.id, core.state.nextPlace);
  if (!plan.ok) return;
  for (const { id, parked, place } of plan.value.parked) {
    const member = core.state.open(id);
    if (member !== undefined)
      core.transit(member, { kind: 'held', parked, by: actor, ...(place === undefined ? {} : { place }) });
  }
  for (const { id, place } of plan.value.released) {
    const member = core.state.open(id);
    if (member !== undefined) core.transit(member, { kind: 'released', place, by: actor });
  }
  for (const { id } of plan.value.released) if (id !== action.id) applyRuling(core, id);
}
