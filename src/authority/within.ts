import { CountersignError } from '../base/errors.ts';
import type { Core } from './core.ts';
import { AUTHORITY_LIMITS } from './options.ts';

/**
 * What a surface answers of the world, in bounded time: one that hangs must not hold up a lane, a start or an end. What
 * it says afterwards is dropped, for by then the world may be another one.
 *
 * Throws: `busy` when there is no answer in time, and what the surface throws.
 */
export async function withinTime<T>(core: Core, ask: () => Promise<T>): Promise<T> {
  const { clock } = core.options;
  let cancel = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(AUTHORITY_LIMITS.lookMsMax, () => {
      const seconds = AUTHORITY_LIMITS.lookMsMax / 1_000;
      reject(new CountersignError('busy', `What it is about did not answer within ${seconds} seconds. Try again.`));
    });
  });
  try {
    return await Promise.race([ask(), late]);
  } finally {
    cancel();
  }
}
