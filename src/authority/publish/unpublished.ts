import type { ActionId } from '../../model/ids.ts';
import { LEDGER_LIMITS } from '../../model/ledger.ts';
import type { Core } from '../core.ts';
import { PUBLISH_LIMITS } from './limits.ts';

/**
 * Actions about which something happened after the log had this size, the one that changed first in front: what a crash
 * left untold, also of an action that came and settled in between. Of very many the newest.
 */
export function unpublishedActions(core: Core, size: number): readonly ActionId[] {
  const { journal } = core.options;
  const { seq: last } = journal.head();
  const from = Math.max(size, last - PUBLISH_LIMITS.unpublishedRowsMax) + 1;
  const ids = new Map<number, ActionId>();
  for (let seq = from; seq <= last; seq += PUBLISH_LIMITS.rowsPerRead) {
    for (const { actionSeq } of journal.rows(seq, PUBLISH_LIMITS.rowsPerRead)) {
      const id = actionSeq === 0 ? undefined : (ids.get(actionSeq) ?? idOf(core, actionSeq));
      ids.delete(actionSeq);
      if (id !== undefined) ids.set(actionSeq, id);
    }
  }
  // What is open is told anyway; of the rest no ledger holds more.
  return [...ids.values()].slice(-(LEDGER_LIMITS.settledMax + core.state.openCount));
}

function idOf(core: Core, actionSeq: number): ActionId | undefined {
  const [record] = core.options.journal.recordsBefore('action', actionSeq + 1, 1);
  // reason: records of this table are keyed by action id and ordered by number
  return record?.order === actionSeq ? (record.key as ActionId) : undefined;
}
