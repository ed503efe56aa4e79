import { CountersignError } from '../../base/errors.ts';
import type { CliDevice } from '../device/cli-device.ts';
import type { Source } from './source.ts';

/** Why single decisions were turned away, by number; or, as a sentence, why nothing was sent. */
export type Sent = ReadonlyMap<number, string> | string;

/** A home that ends during the call may or may not have taken it: the decision is saved either way, and re-sent. */
export async function send(device: CliDevice, { runtime, workspace }: Source): Promise<Sent> {
  if (runtime === null) return 'no home is running';
  try {
    return await device.deliver(workspace, runtime.submit);
  } catch (error) {
    if (CountersignError.is(error) && error.code === 'closed') return 'the home ended meanwhile';
    throw error;
  }
}

/** What is said of a decision that nobody has answered. */
export function unanswered(
  turnedAway: string | undefined,
  sent: Sent,
): { readonly result: 'refused' | 'saved'; readonly why: string } {
  if (turnedAway !== undefined) return { result: 'refused', why: turnedAway };
  const because = typeof sent === 'string' ? sent : 'no receipt yet';
  return { result: 'saved', why: `${because}; it is taken when the runtime is there` };
}
