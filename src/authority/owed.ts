import { parseCanonical } from '../base/canonical-json.ts';
import type { Action } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Core } from './core.ts';
import type { ReissueMode } from './ports.ts';
import { refresh } from './refresh.ts';

export interface OwedReissue {
  readonly id: ActionId;
  readonly mode: ReissueMode;
}

const PREFIX = 'owed-reissue:';

/** A reissue takes time, and its receipt is out by then: it is written down with the decision, so that no crash drops it. */
export function oweReissue(core: Core, action: Action, mode: ReissueMode): OwedReissue {
  const owed: OwedReissue = { id: action.id, mode };
  core.store.put('meta', PREFIX + action.id, action.seq, true, owed);
  return owed;
}

/** What was decided and is not done, as it is on the disk. */
export function owedReissues(core: Core): readonly OwedReissue[] {
  const records = core.options.journal.liveRecords('meta').filter(({ key }) => key.startsWith(PREFIX));
  // reason: written by `oweReissue` only
  return records.map(({ value }) => parseCanonical(value) as unknown as OwedReissue);
}

/** Carries it out; done twice, it comes to the same. */
export async function reissue(core: Core, { id, mode }: OwedReissue): Promise<void> {
  const action = core.state.open(id);
  if (action !== undefined) await refresh(core, action, mode, 'A person asked for it.');
  core.store.drop('meta', PREFIX + id);
  await core.commit();
}
