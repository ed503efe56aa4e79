import type { Intent } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';

/** One attempt of an effect or of a revert, which count on their own. */
export interface Attempt {
  readonly of: 'effect' | 'revert';
  readonly intent: Pick<Intent, 'attempt'>;
}

export function hangingKey(id: ActionId, { of, intent }: Attempt): string {
  return `${of} ${id}/${intent.attempt}`;
}

/**
 * Remembers that an attempt has not ended, until it answers: as long as it hangs it can still take effect, whatever
 * the world looks like (EF-4). Never rejects.
 */
export async function untilItAnswers<T>(
  core: Core,
  id: ActionId,
  attempt: Attempt,
  late: Promise<T>,
  answered: (answer: T) => Promise<void>,
): Promise<void> {
  const key = hangingKey(id, attempt);
  core.hanging.add(key);
  const answer = await late;
  core.hanging.delete(key);
  await answered(answer).catch(() => undefined); // `commit` has reported it.
}
