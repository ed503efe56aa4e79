import type { RuleRow, StandingView } from '../model/owner-port.ts';
import type { Rule } from '../model/rules.ts';
import type { Core } from './core.ts';
import { planningSessions } from './plan-mode.ts';
import { ruleKinds, whyGone } from './rule-approval.ts';
import { nameOf } from './standing.ts';

/** What people have set, and what they can set rules for. A rule that counts no more is left out already. */
export function standingView(core: Core): StandingView {
  const { mode, modeSet, pauses, rules } = core.standing;
  return {
    mode,
    modeBy: modeSet === null ? null : nameOf(core, modeSet.by),
    modeAtMs: modeSet?.atMs ?? null,
    hostPlans: planningSessions(core).map(({ record }) => record.id),
    pauses: pauses.map(({ atMs, by, session }) => ({ session, by: nameOf(core, by), atMs })),
    rules: rules.filter((rule) => whyGone(core, rule) === null).map((rule) => rowOf(core, rule)),
    kinds: ruleKinds(core),
  };
}

function rowOf(core: Core, rule: Rule): RuleRow {
  const { addedAtMs, device, expiresAtMs, id, kind, n, text, uses, usesMax } = rule;
  return { id, kind, text, by: nameOf(core, { type: 'device', device, n }), uses, usesMax, addedAtMs, expiresAtMs };
}
