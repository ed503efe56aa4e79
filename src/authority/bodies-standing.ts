import { maySetMode } from '../access/rights.ts';
import { canonicalBytes } from '../base/canonical-json.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Actor } from '../model/action.ts';
import type { Decision } from '../model/decision.ts';
import { parseRuleId, parseSessionId, ruleId, type SessionId } from '../model/ids.ts';
import { ruleText } from '../model/rule-text.ts';
import { fieldTested, readRuleWish, RULE_LIMITS, type Rule, type RuleWish } from '../model/rules.ts';
import { isPaused, STANDING_LIMITS, type Mode } from '../model/standing.ts';
import type { BodyRules } from './body-rules.ts';
import type { Core } from './core.ts';
import type { Follow } from './enact.ts';
import { leavePlan, planningSessions } from './plan-mode.ts';
import { ruleKind, whyGone } from './rule-approval.ts';
import { approveWaiting, removeRule, sweepRules } from './rules.ts';
import type { SessionRecord } from './session.ts';
import { change, stopLettingThrough } from './standing.ts';

/** Whatever a person sets may let something begin that waited. */
const DRAIN: readonly Follow[] = [{ type: 'drain' }];

export const STANDING_BODIES = {
  'rule.add': {
    judge: (core, decision) => judgeRule(core, wishOf(decision)),
    enact(core, decision) {
      sweepRules(core);
      change(core, { kind: 'rule-added', rule: ruleOf(core, decision) });
      approveWaiting(core);
      return DRAIN;
    },
  },
  'rule.remove': {
    judge: (core, decision) =>
      findRule(core, decision) === undefined ? err('There is no such rule any more.') : ok(undefined),
    enact(core, decision) {
      const rule = findRule(core, decision);
      if (rule !== undefined) removeRule(core, rule, 'person', by(decision));
      return DRAIN;
    },
  },
  mode: {
    judge: (core, decision) =>
      maySetMode(core.options.roster.device(decision.device)?.right ?? 'view', modeOf(decision)),
    enact(core, decision) {
      const mode = modeOf(decision);
      const planning = mode === 'act' ? planningSessions(core) : [];
      if (mode === core.standing.mode && planning.length === 0) return DRAIN;
      change(core, { kind: 'mode-set', mode, by: by(decision) });
      // A person's word goes before a host's, which may be gone without having taken it back.
      for (const session of planning) leavePlan(core, session);
      stopLettingThrough(core);
      return DRAIN;
    },
  },
  pause: {
    judge(core, decision) {
      const known = knownSession(core, decision);
      if (!known.ok) return known;
      const full = core.standing.pauses.length >= STANDING_LIMITS.pausesMax;
      return full && !isPaused(core.standing, known.value)
        ? err(`${STANDING_LIMITS.pausesMax} sessions are paused already; pause the workspace.`)
        : ok(undefined);
    },
    enact(core, decision) {
      change(core, { kind: 'paused', session: sessionOf(decision), by: by(decision) });
      return [];
    },
  },
  resume: {
    judge: (core, decision) =>
      isPaused(core.standing, sessionOf(decision)) ? ok(undefined) : err('That is not paused.'),
    enact(core, decision) {
      change(core, { kind: 'resumed', session: sessionOf(decision), by: by(decision) });
      return DRAIN;
    },
  },
} as const satisfies Record<string, BodyRules>;

/** The rule's person signed its words together with what it tests, so both must say the same here. */
function judgeRule(core: Core, wish: RuleWish): Result<void> {
  const kind = ruleKind(core, wish.kind);
  if (kind === undefined)
    return err(
      `Nothing that is installed makes actions of the kind ${JSON.stringify(wish.kind)}; see: countersign rules catalogue`,
    );
  if (kind.toolDigest !== wish.toolDigest)
    return err(`The tool behind ${kind.tag} is another one than this rule was made for; look at it again.`);
  const untested = wish.where.find((test) => fieldTested(kind.fields, test) === undefined);
  if (untested !== undefined)
    return err(`A card of ${kind.tag} has no field ${untested.field} that ${untested.is} could test.`);
  if (ruleText(kind, wish) !== wish.text)
    return err('This rule was shown in other words than the runtime has for it; look at it again.');
  const standing = core.standing.rules.filter((rule) => whyGone(core, rule) === null);
  return standing.length < RULE_LIMITS.rulesMax
    ? ok(undefined)
    : err(`A workspace has ${RULE_LIMITS.rulesMax} rules at most; remove one first.`);
}

function ruleOf(core: Core, decision: Decision): Rule {
  const { forMs, ...wish } = wishOf(decision);
  const addedAtMs = core.nowMs();
  return {
    ...wish,
    id: ruleId(core.options.crypto.sha256(canonicalBytes(decision))),
    device: decision.device,
    n: decision.n,
    addedAtMs,
    expiresAtMs: forMs === null ? null : addedAtMs + forMs,
    uses: 0,
  };
}

function findRule(core: Core, { body }: Decision): Rule | undefined {
  const id = parseRuleId(body?.['rule']);
  return id.ok ? core.standing.rules.find((rule) => rule.id === id.value) : undefined;
}

/** A pause is of a root session: its children work in its lane. */
function knownSession(core: Core, decision: Decision): Result<SessionId | null> {
  const session = sessionOf(decision);
  if (session === null) return ok(null);
  // reason: records of this table are written by `saveSession` only
  const record = core.store.record('session', session) as SessionRecord | undefined;
  if (record === undefined) return err('There is no such session.');
  return record.root === session ? ok(session) : err(`That session belongs to another one; pause ${record.root}.`);
}

function sessionOf({ body }: Decision): SessionId | null {
  const session = parseSessionId(body?.['session']);
  return session.ok ? session.value : null;
}

function modeOf({ body }: Decision): Mode {
  return body?.['mode'] === 'plan' ? 'plan' : 'act';
}

/** parseDecision has read it before. */
function wishOf({ body }: Decision): RuleWish {
  return readRuleWish(body ?? {});
}

function by({ device, n }: Decision): Actor {
  return { type: 'device', device, n };
}
