import type { Action, Applied } from '../model/action.ts';
import { EARLIER_VERSION, type Transition } from '../model/event.ts';
import type { ActionId } from '../model/ids.ts';
import { step } from '../model/lifecycle.ts';
import type { Core } from './core.ts';
import { fallIfGroundless } from './groundless.ts';
import type { Evidence } from './heard.ts';
import { earlierVersion } from './intents.ts';
import { record } from './outcome.ts';

export type Weighed =
  /** It says nothing that is not known, or nothing for certain. */
  | { readonly type: 'no-news' }
  /** The action is in the middle of another attempt: weigh it again when that has its outcome. */
  | { readonly type: 'later' }
  /** Staged. `alarm`: it denies what a person said; for that person, in a sentence, once it is durable. */
  | { readonly type: 'staged'; readonly alarm: string | null };

const NO_NEWS: Weighed = { type: 'no-news' };

/**
 * Late evidence settles what is in doubt (EF-4), and overrules a person who settled it otherwise: the state follows the
 * evidence wherever the action has got to since, and the alarm stays until a person has answered it (EF-6).
 */
export function weigh(core: Core, id: ActionId, evidence: Evidence): Weighed {
  const action = core.action(id);
  const { attempt, outcome } = evidence;
  if (action === undefined || outcome.type === 'in-doubt') return NO_NEWS;
  if (action.state === 'applying') return { type: 'later' };
  if (action.state === 'in-doubt' && action.intent.attempt === attempt) {
    record(core, id, outcome);
    return { type: 'staged', alarm: null };
  }
  if (outcome.type === 'failed') return didNotHappen(core, action, attempt);
  const applied: Applied = {
    attempt,
    atMs: core.nowMs(),
    evidence: outcome.evidence,
    drift: driftSince(core, action, attempt, outcome.drift),
    known: evidence.known,
  };
  return contradict(core, action, { kind: 'contradicted', evidence: 'applied', applied });
}

/** Bytes that were given to the surface before the action was made anew are not those that its card shows. */
function driftSince(core: Core, action: Action, attempt: number, drift: string | null): string | null {
  const version = earlierVersion(core, action, attempt);
  if (version === undefined) return drift;
  const said = `${EARLIER_VERSION} (${version.digest.slice(0, 12)}…), and not the one that is shown here.`;
  return drift === null ? said : `${said} ${drift}`;
}

function didNotHappen(core: Core, action: Action, attempt: number): Weighed {
  if (action.state !== 'applied' || action.applied.attempt !== attempt) return NO_NEWS;
  return contradict(core, action, { kind: 'contradicted', evidence: 'not-applied', applied: null });
}

/** What the life of an action does not allow is no contradiction: it agrees, or it is about something that is over. */
function contradict(core: Core, action: Action, transition: Transition): Weighed {
  if (!step(action, transition, core.nowMs()).ok) return NO_NEWS;
  const { action: now } = core.transit(action, transition);
  const { id, seq, content } = now;
  const happened = now.state === 'applied';
  core.notify(core.sessionOf(now), { type: 'contradicted', id, seq, tool: content.tool, happened });
  if (!happened) fallIfGroundless(core, now);
  return { type: 'staged', alarm: `#${seq}: ${now.remark ?? ''}` };
}
