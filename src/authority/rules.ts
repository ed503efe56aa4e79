import { unreachable } from '../base/assert.ts';
import type { Cancel } from '../base/clock.ts';
import type { Action, Actor } from '../model/action.ts';
import { isSpent } from '../model/rule-match.ts';
import type { Rule, RuleGone } from '../model/rules.ts';
import type { Core } from './core.ts';
import { raiseAttention } from './refresh.ts';
import { approveByRule, whyGone } from './rule-approval.ts';
import { approvalHolds, applyRuling, isPlainYes, rulingOn } from './stance.ts';
import { change } from './standing.ts';

/** Takes out what does not count any more, and asks again for what it approved. All of it is staged. */
export function sweepRules(core: Core): boolean {
  const before = core.standing;
  for (const rule of before.rules) {
    const why = whyGone(core, rule) ?? (isSpent(rule) && !speaks(core, rule) ? 'spent' : null);
    if (why !== null) removeRule(core, rule, why, { type: 'authority' });
  }
  return core.standing !== before;
}

/** Takes a rule out; what it approved and has not begun returns to its person (DR-2). */
export function removeRule(core: Core, rule: Rule, why: RuleGone, by: Actor): void {
  change(core, { kind: 'rule-removed', rule: rule.id, why, by });
  for (const action of approvedBy(core, rule)) letGo(core, action, why);
}

/** A new rule speaks for what is waiting already. */
export function approveWaiting(core: Core): void {
  const waiting = [...core.state.openActions()].filter(({ state }) => state === 'pending');
  for (const { id } of waiting) approveByRule(core, id);
}

/** Whoever approved it, a person or a rule, counts no more. */
export function dropApproval(core: Core, action: Extract<Action, { state: 'approved' }>): void {
  if (action.by.type === 'rule') sweepRules(core);
  const now = core.state.open(action.id);
  // Where a rule is gone, a person may have approved it besides.
  if (now?.state !== 'approved' || approvalHolds(core, now)) return;
  // The yes that it stood in for was taken back.
  const why = isPlainYes(core, now) ? 'retracted' : 'revoked';
  core.transit(now, { kind: 'approval-withdrawn', why });
}

/** An action whose rule is gone is asked for again, unless a person has approved it besides. */
function letGo(core: Core, action: Extract<Action, { state: 'approved' }>, why: RuleGone): void {
  if (rulingOn(core, action).type !== 'approved') {
    raiseAttention(core, action, 'rule-gone', goneText(why));
    return;
  }
  core.transit(action, { kind: 'approval-withdrawn', why: 'rule-gone' });
  applyRuling(core, action.id);
}

function speaks(core: Core, rule: Rule): boolean {
  return approvedBy(core, rule).length > 0;
}

function approvedBy(core: Core, { id }: Rule): readonly Extract<Action, { state: 'approved' }>[] {
  const approved = [...core.state.openActions()].filter((action) => action.state === 'approved');
  return approved.filter(({ by }) => by.type === 'rule' && by.rule === id);
}

function goneText(why: RuleGone): string {
  switch (why) {
    case 'person':
      return 'The rule that approved this was removed.';
    case 'device-removed':
      return 'The rule that approved this was made on a device that may not make rules any more.';
    case 'expired':
      return 'The rule that approved this has run out.';
    case 'spent':
      return 'The rule that approved this has been used as often as it may be.';
    case 'tool-changed':
      return 'The rule that approved this was made for another version of its tool.';
    default:
      return unreachable(why);
  }
}

/** Runs when the next rule runs out, so that nobody is shown an approval that counts no more. */
export class RuleClock {
  readonly #core: Core;
  readonly #wake: () => void;
  #timer: { readonly atMs: number; readonly cancel: Cancel } | undefined;

  constructor(core: Core, wake: () => void) {
    this.#core = core;
    this.#wake = wake;
  }

  /** Asked after every change that is stored: costs a look at as many rules as there may be. */
  look(): void {
    const atMs = Math.min(...this.#core.standing.rules.map(({ expiresAtMs }) => expiresAtMs ?? Infinity));
    if (this.#timer?.atMs === atMs) return;
    this.stop();
    if (atMs === Infinity) return;
    // A timer of a year would overflow; it looks again when the longest one is over.
    const delayMs = Math.min(Math.max(0, atMs - this.#core.nowMs()), TIMER_MS_MAX);
    const cancel = this.#core.options.clock.after(delayMs, () => {
      this.#timer = undefined;
      this.#ranOut();
    });
    this.#timer = { atMs, cancel };
  }

  #ranOut(): void {
    if (!sweepRules(this.#core)) return this.look();
    // What is not stored now is swept again before anything relies on it; Core has reported it.
    this.#core.commit().then(this.#wake, () => undefined);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

/** Milliseconds of the longest timer there is. */
const TIMER_MS_MAX = 2 ** 31 - 1;
