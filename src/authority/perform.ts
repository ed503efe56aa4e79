import type { Cancel, Clock, EpochMs } from '../base/clock.ts';
import { canonicalText } from '../base/canonical-json.ts';
import { CountersignError, messageOf } from '../base/errors.ts';
import type { Outcome, RevertOutcome } from './ports.ts';

/** What an effect came to, and what it will still say after its deadline. */
export interface Performed<T> {
  readonly outcome: T;
  /** Present when the deadline passed first: resolves if the effect answers after all (EF-4). */
  readonly late?: Promise<T>;
}

/** `may-arrive`: a process that has ended had asked for the same under the same key, and nobody knows what became of it. */
export type Earlier = 'over' | 'may-arrive';

type Unsure = { readonly type: 'in-doubt'; readonly why: string };

/**
 * Runs one effect to its deadline. A surface that throws after it began leaves the outcome in doubt: a person looks,
 * code never retries. Only an error that says `effect: 'none'` counts as nothing happened. That it failed this time says
 * nothing of an earlier request that may still arrive (LC-3).
 */
export async function perform<T extends Outcome | RevertOutcome>(options: {
  readonly run: (signal: AbortSignal) => Promise<T>;
  readonly nothingHappened: (why: string) => T;
  readonly earlier: Earlier;
  readonly clock: Clock;
  readonly deadlineMs: EpochMs;
  readonly nowMs: EpochMs;
}): Promise<Performed<T | Unsure>> {
  const abort = new AbortController();
  let cancel: Cancel = () => undefined;
  const deadline = new Promise<'deadline'>((resolve) => {
    cancel = options.clock.after(Math.max(0, options.deadlineMs - options.nowMs), () => resolve('deadline'));
  });
  const asked = settle(() => options.run(abort.signal), options.nothingHappened);
  const answer = options.earlier === 'over' ? asked : asked.then(ofBoth);
  const first = await Promise.race([answer, deadline]);
  cancel();
  if (first !== 'deadline') return { outcome: first };
  abort.abort();
  return { outcome: { type: 'in-doubt', why: 'It did not answer before its deadline.' }, late: answer };
}

async function settle<T extends Outcome | RevertOutcome>(
  effect: () => Promise<T>,
  nothingHappened: (why: string) => T,
): Promise<T | Unsure> {
  try {
    const outcome = await effect();
    return isStorable(outcome) ? outcome : { type: 'in-doubt', why: 'It answered with something that cannot be kept.' };
  } catch (error) {
    if (CountersignError.is(error) && error.effect === 'none') return nothingHappened(error.message);
    return { type: 'in-doubt', why: `It stopped with an error after it had begun: ${messageOf(error)}` };
  }
}

/** What the second request's answer says of both. */
function ofBoth<T extends Outcome | RevertOutcome>(outcome: T | Unsure): T | Unsure {
  if (outcome.type !== 'failed' && outcome.type !== 'refused') return outcome;
  return {
    type: 'in-doubt',
    why: `What was asked for before the process ended may still arrive. Asked again: ${outcome.why}`,
  };
}

/** Evidence and results are JSON, or they are no answer. */
function isStorable(outcome: unknown): boolean {
  try {
    canonicalText(outcome);
    return true;
  } catch (error) {
    if (CountersignError.is(error)) return false;
    throw error;
  }
}
