import { assert } from '../base/assert.ts';
import { canonicalBytes } from '../base/canonical-json.ts';
import type { Action, Intent, Together } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { resolve } from './resolve.ts';

export type Approved = Extract<Action, { state: 'approved' }>;
export type Applying = Extract<Action, { state: 'applying' }>;

/** Stages the intent. Synchronous up to the commit: no wish for safety can slip between the look and the intent. */
export function begin(core: Core, action: Approved, group?: Pick<Together, 'ids' | 'content'>): Applying {
  const atMs = core.nowMs();
  const resolved = resolve(core, action);
  // It was looked over with everything resolved, and what made it has not changed since.
  assert(resolved.ok, 'no reference leaves that stands for nothing');
  const intent: Intent = {
    attempt: action.attempts + 1,
    idempotencyKey: idempotencyKey(core, action),
    atMs,
    deadlineMs: atMs + AUTHORITY_LIMITS.effectMsMax,
    ...(resolved.value === undefined ? {} : { resolved: resolved.value }),
    ...(group === undefined ? {} : { together: { ...group, ...firstOf(core, group.ids) } }),
  };
  const { action: applying } = core.transit(action, { kind: 'intent-recorded', intent });
  assert(applying.state === 'applying', 'an intent makes an action applying');
  return applying;
}

/** What the first of a group begins with stands for all of them. */
function firstOf(core: Core, [id]: readonly ActionId[]): Pick<Together, 'idempotencyKey' | 'attempt'> {
  const first = id === undefined ? undefined : core.state.open(id);
  assert(first?.state === 'approved' || first?.state === 'applying', 'the first of a group begins with it');
  const attempt = first.state === 'approved' ? first.attempts + 1 : first.attempts;
  return { idempotencyKey: idempotencyKey(core, first), attempt };
}

/** A function of workspace, action and attempt group, so that a retry after a definite failure keeps it (EF-3). */
export function idempotencyKey(core: Core, action: Action): string {
  return core.store.hash(canonicalBytes(['countersign key|1', core.options.workspace, action.id])).slice(0, 32);
}
