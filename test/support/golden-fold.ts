import { parseCanonical } from '../../src/base/canonical-json.ts';
import type { Journal } from '../../src/authority/ports.ts';
import type { Action } from '../../src/model/action.ts';
import type { JournalEvent } from '../../src/model/event.ts';
import { step } from '../../src/model/lifecycle.ts';

const ROWS_MAX = 10_000;

/** Every action as its events make it: a second path beside the records that the journal keeps. */
export function foldOf(journal: Journal): ReadonlyMap<string, Action> {
  const actions = new Map<string, Action>();
  for (const row of journal.rows(1, ROWS_MAX)) {
    // reason: the row's bytes are chained and were made from an event
    const event = parseCanonical(row.event) as unknown as JournalEvent;
    if (event.kind === 'proposed') actions.set(event.action, event.record);
    else if ('action' in event) {
      const action = actions.get(event.action);
      const stepped = action === undefined ? undefined : step(action, event, row.atMs);
      if (stepped?.ok !== true) throw new Error(`event ${row.seq} ${row.kind} does not fold`);
      actions.set(event.action, stepped.action);
    }
  }
  return actions;
}

export function recordsOf(journal: Journal): ReadonlyMap<string, Action> {
  const records = journal.recordsBefore('action', Number.MAX_SAFE_INTEGER, ROWS_MAX);
  // reason: records of this table are actions, their sums checked
  return new Map(records.toReversed().map((record) => [record.key, parseCanonical(record.value) as unknown as Action]));
}
