import { err, type Result } from '../base/result.ts';
import { BODY_KINDS, type BodyKind, type Decision, type DecisionKind } from '../model/decision.ts';
import { STANDING_BODIES } from './bodies-standing.ts';
import type { BodyRules } from './body-rules.ts';
import type { Core } from './core.ts';
import type { Follow } from './enact.ts';

/** Kinds that this workspace's authority answers itself. */
const BODIES: Partial<Record<BodyKind, BodyRules>> = STANDING_BODIES;

export function isBodyKind(kind: DecisionKind): kind is BodyKind {
  return BODY_KINDS.some((one) => one === kind);
}

export function judgeBody(core: Core, kind: BodyKind, decision: Decision): Result<void> {
  const rules = BODIES[kind];
  return rules === undefined ? err(`This version cannot take a ${kind} here.`) : rules.judge(core, decision);
}

export function enactBody(core: Core, kind: BodyKind, decision: Decision): readonly Follow[] {
  return BODIES[kind]?.enact(core, decision) ?? [];
}
