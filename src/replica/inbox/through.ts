import type { ActionId } from '../../model/ids.ts';
import type { ActionView } from '../types.ts';
import type { InboxRow } from './rows.ts';

/**
 * *Approve through here*: everything undecided in the row's lane up to and with its last step, in the order of places.
 * `open`: all open actions of the workspace.
 */
export function throughRow(open: readonly ActionView[], row: InboxRow): readonly ActionId[] {
  const last = row.steps.at(-1);
  if (last === undefined) return [];
  const { lane, place } = last.record;
  return open
    .filter(({ record }) => record.lane === lane && record.place <= place && record.state === 'pending')
    .map(({ record }) => record.id);
}
