import type { Clock } from '../base/clock.ts';
import { CountersignError, ERROR_TABLE } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { pauseMs, type Pauses } from './backoff.ts';

/** Tries again what may be tried again by the error table, with pauses. Only for what can be done twice. */
export async function retried<T>(
  task: () => Promise<T>,
  by: { readonly clock: Clock; readonly random: Random; readonly pauses: Pauses; readonly triesMax: number },
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await task();
    } catch (thrown) {
      if (tries >= by.triesMax || !mayTryAgain(thrown)) throw thrown;
      await new Promise<void>((resolve) => void by.clock.after(pauseMs(by.pauses, tries, by.random), resolve));
    }
  }
}

export function mayTryAgain(thrown: unknown): boolean {
  return CountersignError.is(thrown) && ERROR_TABLE[thrown.code].retry === 'later' && thrown.effect === 'none';
}
