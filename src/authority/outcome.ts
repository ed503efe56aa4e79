import { assert, unreachable } from '../base/assert.ts';
import type { Action, Intent } from '../model/action.ts';
import type { ActionContent } from '../model/content.ts';
import type { ActionId } from '../model/ids.ts';
import { contextTogether } from './coalesce.ts';
import type { Core } from './core.ts';
import { driftOf, tellDrift } from './drift.ts';
import { fallIfGroundless } from './groundless.ts';
import { earlierVersion } from './intents.ts';
import type { ApplyContext, Outcome } from './ports.ts';
import { contentFor } from './resolve.ts';
import { storedResult } from './results.ts';

type Begun = Extract<Action, { state: 'applying' | 'in-doubt' | 'reverting' | 'revert-in-doubt' }>;

/** What the surface gets for an attempt: the journalled content and nothing else (DR-6). */
export function contextOf(core: Core, action: Begun): ApplyContext {
  const reverts = action.state === 'reverting' || action.state === 'revert-in-doubt';
  return contextWith(
    core,
    reverts ? contentThen(core, action, action.applied.attempt) : contentFor(action),
    action.intent,
  );
}

/** The same for an attempt that the action's present state does not name any more. */
export function contextFor(core: Core, action: Action, intent: Intent): ApplyContext {
  return contextWith(core, contentThen(core, action, intent.attempt), intent);
}

/** What was given to the surface at an attempt of the effect, whatever the action has been made into since. */
export function contentThen(core: Core, action: Action, attempt: number): ActionContent {
  return earlierVersion(core, action, attempt)?.content ?? contentFor(action);
}

function contextWith(core: Core, content: ActionContent, intent: Intent): ApplyContext {
  return contextTogether(core, intent) ?? { content, intent, blob: (hash) => core.store.blob(hash) };
}

/** Writes down what became of an attempt, and tells the agent what it has to know. */
export function record(core: Core, id: ActionId, outcome: Outcome): void {
  const action = core.state.open(id);
  assert(action?.state === 'applying' || action?.state === 'in-doubt', 'an outcome belongs to an attempt');
  const known = action.state === 'applying' ? 'surface' : 'probe';
  switch (outcome.type) {
    case 'applied': {
      const result =
        outcome.result === undefined ? null : storedResult(outcome.result, (bytes) => core.store.keepBlob(bytes));
      const drift = driftOf(core, action, outcome);
      const { evidence } = outcome;
      const applied = { attempt: action.intent.attempt, atMs: core.nowMs(), evidence, drift, known } as const;
      tellDrift(core, action, drift);
      core.transit(action, { kind: 'applied', applied, result });
      return;
    }
    case 'failed':
      recordFailure(core, action, outcome.why);
      return;
    case 'in-doubt':
      if (action.state === 'applying') core.transit(action, { kind: 'doubted', why: outcome.why });
      return;
    default:
      unreachable(outcome);
  }
}

function recordFailure(core: Core, action: Action, why: string): void {
  const failed =
    action.state === 'in-doubt'
      ? core.transit(action, { kind: 'not-applied', known: 'probe', mayHappenTwice: false })
      : core.transit(action, { kind: 'failed', why });
  const { id, seq, content } = action;
  core.notify(core.sessionOf(action), { type: 'failed', seq, id, tool: content.tool, why });
  fallIfGroundless(core, failed.action);
}
