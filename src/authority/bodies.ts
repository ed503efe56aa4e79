import { err, type Result } from '../base/result.ts';
import { BODY_KINDS, type BodyKind, type Decision, type DecisionKind } from '../model/decision.ts';
import type { Core } from './core.ts';
import type { Follow } from './enact.ts';

/** What one kind of decision over a body checks, and what it does. The device's right was checked before. */
export interface BodyRules {
  /** Looks only. An error is the sentence the device gets: nothing changes then. */
  judge(core: Core, decision: Decision): Result<void>;
  /** Stages all that follows, for the commit that makes the decision durable. */
  enact(core: Core, decision: Decision): readonly Follow[];
}

/** Kinds that this workspace's authority answers itself. */
const BODIES: Partial<Record<BodyKind, BodyRules>> = {};

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
