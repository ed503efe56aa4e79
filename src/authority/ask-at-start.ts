import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import { canAsk } from './ask-probe.ts';
import type { Core } from './core.ts';
import { isBlind } from './effect-class.ts';
import { isSettled } from './state.ts';

const PREFIX = 'settled/';

/** Asked about at one start, the newest first: each may take as long as a probe that does not answer. */
const ASKED_MAX = 100;

/**
 * A person's word is all that is known of it: what is over by that word alone is asked about once at every start, until
 * the world has said what became of it (EF-6). Never where only the present state of something is compared, which others
 * have changed since.
 */
export function askAtStart(core: Core, action: Action): void {
  if (isBlind(action.content) && canAsk(core, action))
    core.store.put('meta', PREFIX + action.id, action.seq, true, true);
}

/** The world has said it, or it is over in another way. */
export function askedEnough(core: Core, id: ActionId): void {
  if (core.store.record('meta', PREFIX + id) !== undefined) core.store.drop('meta', PREFIX + id);
}

/** What is over by a person's word, as far as it is not open: that is asked about anyway. */
export function settledByWord(core: Core): readonly Action[] {
  const asked: Action[] = [];
  const records = core.options.journal.liveRecords('meta').filter(({ key }) => key.startsWith(PREFIX));
  for (const { key } of records.toSorted((a, b) => b.order - a.order)) {
    if (asked.length === ASKED_MAX) break;
    // reason: records of this prefix are keyed by action id
    const action = core.action(key.slice(PREFIX.length) as ActionId);
    // A tool that this start is without may be there at the next one.
    if (action !== undefined && isSettled(action) && canAsk(core, action)) asked.push(action);
  }
  return asked;
}
