import { unreachable } from '../base/assert.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Actor } from './action.ts';
import type { DeviceId, Digest, RuleId, SessionId } from './ids.ts';
import type { Rule, RuleGone } from './rules.ts';

/** Whether agents may propose: in plan mode nothing is queued, and what is queued stays where it is (DR-8). */
export type Mode = 'act' | 'plan';

/** What is stopped, and by whom: one root session's work, or with `null` all of the workspace (DR-10). */
export interface Pause {
  readonly session: SessionId | null;
  readonly by: Actor;
  readonly atMs: EpochMs;
}

/** What a person has set for a workspace, beside what they decided about single actions. */
export interface Standing {
  readonly mode: Mode;
  /** Who set the mode, and when; `null` while nobody did. */
  readonly modeSet: { readonly by: Actor; readonly atMs: EpochMs } | null;
  readonly pauses: readonly Pause[];
  /** In the order in which they were made, which is the order in which they are asked. */
  readonly rules: readonly Rule[];
}

/** One action that goes on although plan mode is on: this version of it, after what was raised about it. */
export interface LetThrough {
  readonly digest: Digest;
  readonly attention: number | null;
  readonly device: DeviceId;
}

export const NOTHING_SET: Standing = { mode: 'act', modeSet: null, pauses: [], rules: [] };

export const STANDING_LIMITS = {
  /** Sessions paused one by one. Whoever pauses more pauses the workspace. */
  pausesMax: 32,
} as const;

/** What can happen to it. `rule-used` is no event of its own: the approval says which rule gave it. */
export type StandingEvent =
  | { readonly kind: 'rule-added'; readonly rule: Rule }
  | { readonly kind: 'rule-removed'; readonly rule: RuleId; readonly why: RuleGone; readonly by: Actor }
  | { readonly kind: 'mode-set'; readonly mode: Mode; readonly by: Actor }
  | { readonly kind: 'paused'; readonly session: SessionId | null; readonly by: Actor }
  | { readonly kind: 'resumed'; readonly session: SessionId | null; readonly by: Actor };

/** Pure and total: what is set after an event. An event that changes nothing answers the same object. */
export function stand(standing: Standing, event: StandingEvent, atMs: EpochMs): Standing {
  switch (event.kind) {
    case 'rule-added':
      return { ...standing, rules: [...standing.rules, event.rule].toSorted(inOrder) };
    case 'rule-removed':
      return { ...standing, rules: standing.rules.filter(({ id }) => id !== event.rule) };
    case 'mode-set':
      return { ...standing, mode: event.mode, modeSet: { by: event.by, atMs } };
    case 'paused':
      return isPaused(standing, event.session)
        ? standing
        : { ...standing, pauses: [...standing.pauses, { session: event.session, by: event.by, atMs }] };
    case 'resumed':
      return { ...standing, pauses: standing.pauses.filter(({ session }) => session !== event.session) };
    default:
      return unreachable(event);
  }
}

/** A total order, so that the same rules are asked in the same order however they came. */
export function inOrder(a: Rule, b: Rule): number {
  return a.addedAtMs - b.addedAtMs || (a.id < b.id ? -1 : 1);
}

/** One more action was approved by a rule. */
export function useRule(standing: Standing, id: string): Standing {
  const rules = standing.rules.map((rule) => (rule.id === id ? { ...rule, uses: rule.uses + 1 } : rule));
  return { ...standing, rules };
}

/** Is there a pause of exactly this? */
export function isPaused({ pauses }: Standing, session: SessionId | null): boolean {
  return pauses.some((pause) => pause.session === session);
}

/** The pause that stops a root session's work: its own, or that of the workspace. */
export function pauseOf({ pauses }: Standing, root: SessionId): Pause | undefined {
  return pauses.find(({ session }) => session === null) ?? pauses.find(({ session }) => session === root);
}
