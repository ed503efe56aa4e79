import { assert } from '../base/assert.ts';
import type { Action, Actor, Intent } from '../model/action.ts';
import { planCascade } from '../model/cascade.ts';
import type { ActionId } from '../model/ids.ts';
import { cardOf } from './card-of.ts';
import type { Core } from './core.ts';
import { fell, nicknameOf, refsOf, shownTo } from './ending.ts';
import type { ResourceLocks } from './locks.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { contextOf } from './outcome.ts';
import { perform } from './perform.ts';
import type { RevertOutcome } from './ports.ts';

type Reverting = Extract<Action, { state: 'reverting' }>;

/**
 * Stages the intent of taking an applied action back (CA-3). A revert belongs to its action, outside lanes; it is
 * performed under a lock on what it wrote, with an outcome like any effect, and touches only what the action wrote, only
 * if that is still as the action left it.
 */
export function beginRevert(core: Core, action: Action, by: Actor): void {
  // Reverted meanwhile by an earlier item or decision: the first one counts.
  if (action.state !== 'applied') return;
  const atMs = core.nowMs();
  const attempt = action.revertAttempts + 1;
  const intent: Intent = {
    attempt,
    idempotencyKey: `${action.id}-r${attempt}`,
    atMs,
    deadlineMs: atMs + AUTHORITY_LIMITS.effectMsMax,
  };
  core.transit(action, { kind: 'revert-begun', intent, by });
}

/** Performs a revert whose intent is durable. */
export async function revert(core: Core, locks: ResourceLocks, id: ActionId, by: Actor): Promise<void> {
  const action = core.action(id);
  if (action?.state === 'reverting') await performRevert(core, locks, action, by);
}

/** Also after a restart, for a revert whose intent was durable and that a probe found not to have happened. */
export async function performRevert(core: Core, locks: ResourceLocks, action: Reverting, by: Actor): Promise<void> {
  const surface = core.surfaceOf(action);
  if (surface?.revert === undefined) {
    recordRevert(core, action.id, { type: 'refused', why: 'Its tool is gone or cannot revert.', canRetry: false }, by);
    return core.commit({ urgent: true });
  }
  const run = surface.revert.bind(surface);
  const { outcome, late } = await locks.run(action.content.writes, () =>
    perform<RevertOutcome>({
      run: (signal) => run({ ...contextOf(core, action), applied: action.applied }, signal),
      nothingHappened: (why) => ({ type: 'refused', why, canRetry: true }),
      clock: core.options.clock,
      nowMs: core.nowMs(),
      // Counted from now: what a crash interrupted begins anew with its whole time.
      deadlineMs: core.nowMs() + AUTHORITY_LIMITS.effectMsMax,
    }),
  );
  recordRevert(core, action.id, outcome, by);
  await core.commit({ urgent: true });
  if (late !== undefined) void late.then((answer) => answeredLate(core, action, answer, by)).catch(() => undefined); // `commit` has reported it.
}

/** A revert that answers after its deadline settles itself (EF-4). */
async function answeredLate(core: Core, asked: Reverting, outcome: RevertOutcome, by: Actor): Promise<void> {
  const action = core.state.open(asked.id);
  if (action?.state !== 'revert-in-doubt' || action.intent.attempt !== asked.intent.attempt) return;
  if (outcome.type === 'in-doubt') return;
  recordRevert(core, asked.id, outcome, by);
  await core.commit({ urgent: true });
}

/** Writes down what became of a revert; what still needed the action falls with it (CA-1). */
export function recordRevert(core: Core, id: ActionId, outcome: RevertOutcome, by: Actor): void {
  const action = core.state.open(id);
  assert(action?.state === 'reverting' || action?.state === 'revert-in-doubt', 'a revert outcome belongs to a revert');
  if (outcome.type === 'in-doubt') {
    if (action.state === 'reverting') core.transit(action, { kind: 'revert-doubted', why: outcome.why });
    return;
  }
  if (outcome.type === 'refused') {
    core.transit(action, { kind: 'revert-refused', why: `Not reverted: ${outcome.why}` });
    return;
  }
  const plan = planCascade(core.state, [id]);
  core.notify(core.sessionOf(action), {
    type: 'reverted',
    id,
    seq: action.seq,
    tool: action.content.tool,
    target: cardOf(core, action).target,
    by: by.type === 'device' ? nicknameOf(core, by) : null,
    fell: refsOf(core, plan.falls),
    restart: refsOf(core, shownTo(plan, action.lineage.root)),
  });
  core.transit(action, { kind: 'reverted' });
  fell(core, plan, [id], by);
}
