import { InvariantError } from '../base/assert.ts';
import { canonicalText } from '../base/canonical-json.ts';
import { CountersignError, messageOf } from '../base/errors.ts';
import type { Action, Intent } from '../model/action.ts';
import type { Core } from './core.ts';
import { intentOf } from './intents.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { contextFor } from './outcome.ts';
import type { Probed } from './ports.ts';

const CANNOT_ASK = 'The process ended while it was being applied, and it cannot be asked whether it happened.';
const NO_ANSWER = 'It could not be found out whether it happened';

/** Can the world be asked whether this happened? What is blind never is, whatever its surface offers (E4). */
export function canAsk(core: Core, action: Action): boolean {
  return core.surfaceOf(action)?.probe !== undefined && action.content.effectClass !== 'E4';
}

/**
 * Asks the world what became of an attempt. No answer, or one that nobody can read, is no knowledge. Of a revert it is
 * asked whether the effect still stands, under the effect's own intent: a revert's key is one the world never had.
 */
export async function askProbe(core: Core, action: Action, intent: Intent): Promise<Probed> {
  const surface = core.surfaceOf(action);
  if (surface?.probe === undefined || !canAsk(core, action)) return { answer: 'unknown', why: CANNOT_ASK };
  const ask = surface.probe.bind(surface);
  const reverts = action.state === 'reverting' || action.state === 'revert-in-doubt';
  const asked = reverts ? (intentOf(core, action, action.applied.attempt) ?? intent) : intent;
  let stopWaiting: () => void = () => undefined;
  const deadline = new Promise<Probed>((resolve) => {
    const late: Probed = { answer: 'unknown', why: `${NO_ANSWER}: it did not answer in time.` };
    stopWaiting = core.options.clock.after(AUTHORITY_LIMITS.probeMsMax, () => resolve(late));
  });
  try {
    return readable(await Promise.race([ask(contextFor(core, action, asked)), deadline]));
  } catch (error) {
    if (error instanceof InvariantError) throw error;
    return { answer: 'unknown', why: `${NO_ANSWER}: ${messageOf(error)}` };
  } finally {
    stopWaiting();
  }
}

function readable(probed: Probed): Probed {
  const { answer } = probed;
  if (answer === 'applied') return isStorable(probed.evidence) ? probed : unreadable();
  if ((answer !== 'not-applied' && answer !== 'unknown') || typeof probed.why !== 'string') return unreadable();
  return probed;
}

function unreadable(): Probed {
  return { answer: 'unknown', why: `${NO_ANSWER}: it answered with something that cannot be read.` };
}

function isStorable(evidence: unknown): boolean {
  if (evidence === null || typeof evidence !== 'object' || Array.isArray(evidence)) return false;
  try {
    canonicalText(evidence);
    return true;
  } catch (error) {
    if (CountersignError.is(error)) return false;
    throw error;
  }
}
