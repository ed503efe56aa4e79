import { utf8 } from '../base/bytes.ts';
import { parseCanonical } from '../base/canonical-json.ts';
import type { Action } from '../model/action.ts';
import type { Decision } from '../model/decision.ts';
import type { ActionId } from '../model/ids.ts';
import { askProbe } from './ask-probe.ts';
import { begunWith } from './coalesce.ts';
import type { Core } from './core.ts';
import type { Drain } from './drain.ts';
import { eventOf, keySinceMs } from './intents.ts';
import { rejectLate } from './late-reject.ts';
import { record } from './outcome.ts';
import type { Earlier } from './perform.ts';
import type { Probed } from './ports.ts';

type Interrupted = Extract<Action, { state: 'applying' }>;

/**
 * Settles what a crash interrupted, before anything drains (semantics §5). An intent without a head record never
 * began: its attempt is void. For the rest the surface looks at the world, and what it cannot know is in doubt.
 */
export async function recover(core: Core, drain: Drain): Promise<void> {
  const unwitnessed = unwitnessedIntents(core);
  const interrupted = [...core.state.openActions()].filter((action) => action.state === 'applying');
  const begun = interrupted.filter((action) => !unwitnessed.has(action.id));
  for (const action of interrupted) {
    if (!unwitnessed.has(action.id)) continue;
    core.transit(action, { kind: 'attempt-voided' });
    // It had not begun, so that a no which seemed to come too late came in time (LC-2).
    const no = unwitnessed.get(action.id);
    if (no !== null && no !== undefined) rejectLate(core, action.id, no);
  }
  // The first commit after a crash also makes the missing head records durable.
  await core.commit();
  for (const { id } of begun) {
    const action = core.state.open(id);
    // What began together with another was settled with it.
    if (action?.state === 'applying') await settleEffect(core, drain, action);
  }
  await drain.weighHeard(core.heard.ids());
}

/**
 * Actions whose newest intent the head log does not know, each with the no that came right after it. Those that were to
 * begin together are one commit: where the witness of one is missing, none of them has begun.
 */
function unwitnessedIntents(core: Core): ReadonlyMap<ActionId, Decision | null> {
  const { health } = core.options.journal;
  const begun = new Map<ActionId, Decision | null>();
  if (health.state !== 'ahead') return begun;
  const { seq: last } = core.options.journal.head();
  for (const row of core.options.journal.rows(health.witnessed + 1, last - health.witnessed)) {
    const event = eventOf(row);
    if (event.kind === 'intent-recorded')
      for (const id of event.intent.together?.ids ?? [event.action]) begun.set(id, null);
    if (event.kind !== 'decision-taken') continue;
    for (const { id, result } of event.results)
      if (result === 'late' && begun.get(id) === null) begun.set(id, decisionOf(event.decision));
  }
  return begun;
}

/** As the authority had opened it when it was taken. */
function decisionOf(payload: string): Decision {
  // reason: only what `parseDecision` has read is taken
  return parseCanonical(utf8(payload)) as unknown as Decision;
}

async function settleEffect(core: Core, drain: Drain, action: Interrupted): Promise<void> {
  const probed = await lookFor(core, action);
  if (probed.answer !== 'applied' && mayRedo(core, action, probed))
    return drain.redo(action, earlierOf(action, probed));
  for (const { id } of begunWith(core, action)) {
    if (probed.answer === 'applied') record(core, id, { type: 'applied', evidence: probed.evidence, drift: null });
    else record(core, id, { type: 'in-doubt', why: probed.why });
  }
  await core.commit({ urgent: true });
}

/** All attempts share one key: where it is known that an earlier one happened, what is found can be that one's effect. */
async function lookFor(core: Core, action: Interrupted): Promise<Probed> {
  if (begunWith(core, action).every(({ id }) => !core.heard.saysHappened(id)))
    return askProbe(core, action, action.intent);
  return {
    answer: 'unknown',
    why: 'An earlier attempt happened after all, so that nobody can say whose effect is found.',
  };
}

/** The table of semantics §5, for an effect that is not known to have happened: can doing it again make it two? */
function mayRedo(core: Core, action: Interrupted, probed: Exclude<Probed, { answer: 'applied' }>): boolean {
  if (core.heard.saysHappened(action.id)) return false;
  if (core.surfaceOf(action) === undefined) return false;
  const { effectClass, keyWindowMs } = action.content;
  switch (effectClass) {
    case 'E1':
      // The process that asked for it is gone, and what it would have compared with is still there.
      return probed.answer === 'not-applied';
    case 'E2': {
      const sinceMs = keySinceMs(core, action) ?? action.intent.atMs;
      return core.nowMs() - sinceMs < (keyWindowMs ?? 0) || isFinal(probed);
    }
    case 'E3':
      return isFinal(probed);
    case 'E0':
    case 'E4':
      return false;
  }
}

/** A key keeps the earlier request from being a second effect, and not from being the first one. */
function earlierOf({ content }: Interrupted, probed: Probed): Earlier {
  return content.effectClass === 'E1' || isFinal(probed) ? 'over' : 'may-arrive';
}

function isFinal(probed: Probed): boolean {
  return probed.answer === 'not-applied' && probed.final === true;
}
