import { parseCanonical } from '../base/canonical-json.ts';
import { messageOf } from '../base/errors.ts';
import type { Action } from '../model/action.ts';
import type { JournalEvent } from '../model/event.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import type { Drain } from './drain.ts';
import type { ResourceLocks } from './locks.ts';
import { contextOf, record } from './outcome.ts';
import type { Probed } from './ports.ts';
import { performRevert, recordRevert } from './reverts.ts';

type Interrupted = Extract<Action, { state: 'applying' | 'reverting' }>;

/**
 * Settles what a crash interrupted, before anything drains (semantics §5). An intent without a head record never
 * began: its attempt is void. For the rest the surface looks at the world, and what it cannot know is in doubt.
 */
export async function recover(core: Core, drain: Drain, locks: ResourceLocks): Promise<void> {
  const unwitnessed = unwitnessedIntents(core);
  const interrupted = [...core.state.openActions()].filter(isInterrupted);
  for (const action of interrupted) {
    if (action.state === 'applying' && unwitnessed.has(action.id)) core.transit(action, { kind: 'attempt-voided' });
  }
  // The first commit after a crash also makes the missing head records durable.
  await core.commit();
  for (const action of interrupted) {
    if (action.state === 'applying' && !unwitnessed.has(action.id)) await settleEffect(core, drain, action);
    if (action.state === 'reverting') await settleRevert(core, locks, action);
  }
}

function isInterrupted(action: Action): action is Interrupted {
  return action.state === 'applying' || action.state === 'reverting';
}

/** Actions whose newest intent the head log does not know. */
function unwitnessedIntents(core: Core): ReadonlySet<ActionId> {
  const { health } = core.options.journal;
  if (health.state !== 'ahead') return new Set();
  const ids = new Set<ActionId>();
  const { seq: last } = core.options.journal.head();
  for (const row of core.options.journal.rows(health.witnessed + 1, last - health.witnessed)) {
    if (row.kind !== 'intent-recorded') continue;
    // reason: the row's bytes are chained and were made by the store from an event
    const event = parseCanonical(row.event) as unknown as JournalEvent;
    if (event.kind === 'intent-recorded') ids.add(event.action);
  }
  return ids;
}

async function probe(core: Core, action: Interrupted): Promise<Probed> {
  const surface = core.surfaceOf(action);
  if (surface?.probe === undefined || action.content.effectClass === 'E4') {
    return {
      answer: 'unknown',
      why: 'The process ended while it was being applied, and it cannot be asked whether it happened.',
    };
  }
  try {
    return await surface.probe(contextOf(core, action));
  } catch (error) {
    return { answer: 'unknown', why: `It could not be found out whether it happened: ${messageOf(error)}` };
  }
}

async function settleEffect(core: Core, drain: Drain, action: Extract<Action, { state: 'applying' }>): Promise<void> {
  const probed = await probe(core, action);
  if (probed.answer === 'not-applied' && action.content.effectClass === 'E1') return drain.redo(action);
  if (probed.answer === 'applied') record(core, action.id, { type: 'applied', evidence: probed.evidence, drift: null });
  else record(core, action.id, { type: 'in-doubt', why: probed.why });
  await core.commit({ urgent: true });
}

async function settleRevert(
  core: Core,
  locks: ResourceLocks,
  action: Extract<Action, { state: 'reverting' }>,
): Promise<void> {
  const probed = await probe(core, action);
  const by = { type: 'authority' } as const;
  // Still as the action left it: the revert has not happened. As it was before the action: it has.
  if (probed.answer === 'applied') return performRevert(core, locks, action, by);
  if (probed.answer === 'not-applied') recordRevert(core, action.id, { type: 'reverted' }, by);
  else recordRevert(core, action.id, { type: 'in-doubt', why: probed.why }, by);
  await core.commit({ urgent: true });
}
