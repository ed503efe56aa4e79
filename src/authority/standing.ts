import { parseCanonical } from '../base/canonical-json.ts';
import type { Actor } from '../model/action.ts';
import type { DecisionItem } from '../model/decision.ts';
import type { ActionId, DeviceId, SessionId } from '../model/ids.ts';
import type { Rule } from '../model/rules.ts';
import {
  inOrder,
  NOTHING_SET,
  stand,
  useRule,
  type LetThrough,
  type Standing,
  type StandingEvent,
} from '../model/standing.ts';
import type { Core } from './core.ts';

/** What is kept of it besides the rules, as one record. */
type Settings = Omit<Standing, 'rules'>;

const SETTINGS = 'settings';
const RULE = 'rule/';
const THROUGH = 'through/';

/** Stages an event, and what is set after it. One that changes nothing leaves no trace. */
export function change(core: Core, event: StandingEvent): void {
  const atMs = core.nowMs();
  const before = core.standing;
  const after = stand(before, event, atMs);
  if (after === before) return;
  core.store.stage(event, atMs);
  adopt(core, after);
  // What is approved says why it does not begin.
  for (const { id, state } of core.state.openActions()) if (state === 'approved') core.watch.stances(id);
}

/** The action has just been approved by this rule; it counts once, however often it is (DR-2). */
export function countUse(core: Core, rule: Rule): void {
  adopt(core, useRule(core.standing, rule.id));
}

/** Lets exactly this version of an action begin although plan mode is on (DR-8). */
export function letThrough(core: Core, { attention, digest, id }: DecisionItem, device: DeviceId): void {
  const through: LetThrough = { digest, attention: attention ?? null, device };
  core.letThrough.set(id, through);
  core.store.put('standing', `${THROUGH}${id}`, core.state.open(id)?.seq ?? 0, true, through);
  core.watch.stances(id);
}

/** Plan mode is over, everywhere or for one root session: the next one begins with nothing let through. */
export function stopLettingThrough(core: Core, root?: SessionId): void {
  for (const id of core.letThrough.keys()) {
    if (root !== undefined && core.state.open(id)?.lineage.root !== root) continue;
    core.store.drop('standing', `${THROUGH}${id}`);
    core.letThrough.delete(id);
    core.watch.stances(id);
  }
}

export function loadStanding(core: Core): void {
  core.standing = NOTHING_SET;
  core.letThrough.clear();
  const rules: Rule[] = [];
  for (const { key, value } of core.options.journal.liveRecords('standing')) {
    // reason: records of this table are written here only, each kind under its own key
    const kept = parseCanonical(value) as unknown;
    if (key.startsWith(RULE)) rules.push(kept as Rule); // reason: as above
    else if (key.startsWith(THROUGH)) core.letThrough.set(key.slice(THROUGH.length) as ActionId, kept as LetThrough); // reason: as above
    else core.standing = { ...core.standing, ...(kept as Settings) }; // reason: as above
  }
  core.standing = { ...core.standing, rules: rules.toSorted(inOrder) };
}

/** Who set it, as a person calls them. */
export function nameOf(core: Core, by: Actor): string {
  return by.type === 'device' ? (core.options.roster.device(by.device)?.nickname ?? by.device) : 'the runtime';
}

function adopt(core: Core, after: Standing): void {
  const gone = new Map(core.standing.rules.map((rule) => [rule.id, rule]));
  const changed = after.rules.filter((rule) => gone.get(rule.id) !== rule);
  for (const { id } of after.rules) gone.delete(id);
  for (const rule of changed) core.store.put('standing', `${RULE}${rule.id}`, rule.addedAtMs, true, rule);
  for (const id of gone.keys()) core.store.drop('standing', `${RULE}${id}`);
  core.standing = after;
  const { mode, modeSet, pauses } = after;
  const settings: Settings = { mode, modeSet, pauses };
  core.store.put('standing', SETTINGS, 0, true, settings);
  core.watch.standing([...changed.map(({ id }) => id), ...gone.keys()]);
}
