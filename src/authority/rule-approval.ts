import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import { isInForce, isSpent, matchRule } from '../model/rule-match.ts';
import type { RuleKind } from '../model/rule-text.ts';
import type { Rule, RuleGone } from '../model/rules.ts';
import { cardOf } from './card-of.ts';
import { toolDigest } from './content.ts';
import type { Core } from './core.ts';
import type { Surface } from './ports.ts';
import { countUse } from './standing.ts';
import { stillMay } from './still-may.ts';

/** The kinds of action that rules can be about: those of the installed surfaces. */
export function ruleKinds(core: Core): readonly RuleKind[] {
  return [...core.surfacesByKind.values()].map((surface) => kindOf(core, surface));
}

export function ruleKind(core: Core, tag: string): RuleKind | undefined {
  const surface = core.surfacesByKind.get(tag);
  return surface && kindOf(core, surface);
}

function kindOf(core: Core, surface: Surface): RuleKind {
  const { card, kind } = surface;
  return { ...kind, toolDigest: toolDigest(surface, (bytes) => core.store.hash(bytes)), fields: card.fields };
}

/** Why a rule that stands in the list does not count any more; `null` while it does. */
export function whyGone(core: Core, rule: Rule): Exclude<RuleGone, 'person' | 'spent'> | null {
  if (!stillMay(core, rule.device, 'rule.add', null)) return 'device-removed';
  if (ruleKind(core, rule.kind)?.toolDigest !== rule.toolDigest) return 'tool-changed';
  return isInForce(rule, core.nowMs()) ? null : 'expired';
}

/** May what this rule approved still begin? One that is spent has said yes to what it counts. */
export function ruleStands(core: Core, id: string): boolean {
  const rule = core.standing.rules.find((each) => each.id === id);
  return rule !== undefined && whyGone(core, rule) === null;
}

/**
 * DR-2: approves what is undecided if its author calls this very action safe *and* a person's rule covers it. Never what
 * cannot be undone or inspected, and never where a person has spoken or was asked to look again. Staged, for the commit
 * of whatever made it possible. `reissued`: it was approved by a rule and is another version now, which is looked at
 * anew.
 */
export function approveByRule(core: Core, id: ActionId, options: { readonly reissued?: boolean } = {}): boolean {
  const action = core.state.open(id);
  if (action?.state !== 'pending' || core.standing.rules.length === 0) return false;
  const { attention } = action;
  const asked = attention !== null && !(options.reissued === true && attention.kind === 'reissued');
  // A person's own version is theirs to see as it was made, whatever a rule says of the agent's.
  // And what was tried before is tried again by nobody but a person, who may have to say that it can happen twice.
  const theirs = action.replaces !== undefined || action.attempts > 0 || core.stances.has(id);
  const rule = asked || theirs ? undefined : ruleFor(core, action);
  if (rule === undefined) return false;
  core.transit(action, { kind: 'approved', by: { type: 'rule', rule: rule.id } });
  if (action.ruled !== rule.id) countUse(core, rule);
  return true;
}

/** The rule that speaks for the action besides its author's verdict. */
function ruleFor(core: Core, action: Action): Rule | undefined {
  const surface = core.surfaceOf(action);
  if (surface === undefined || !action.verdict.autoApprovable || !action.content.reversible) return undefined;
  if (!cardOf(core, action).inspectable) return undefined;
  const standing = core.standing.rules.filter((rule) => whyGone(core, rule) === null && mayCount(rule, action));
  return matchRule(standing, { content: action.content, card: surface.card }, core.nowMs());
}

/** A rule with no uses left speaks for what it has counted already. */
function mayCount(rule: Rule, action: Action): boolean {
  return !isSpent(rule) || action.ruled === rule.id;
}
