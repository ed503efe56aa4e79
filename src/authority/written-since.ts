import type { Action, ActionState } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { JournalRow } from '../model/event.ts';
import type { Core } from './core.ts';
import type { Attempt } from './hanging.ts';
import { eventOf, beginOf } from './intents.ts';
import { writesOf } from './resolve.ts';

/** Rows that are read before others get their turn. */
const ROWS_AT_ONCE = 512;

/** States of an action whose effect stands in the world, may stand there, or has stood there. */
const TOUCHED: ReadonlySet<ActionState> = new Set<ActionState>([
  'applying',
  'applied',
  'in-doubt',
  'reverting',
  'revert-in-doubt',
  'reverted',
]);

/**
 * Has another action begun to write what this one writes, since this attempt of it began? Then whoever compares finds
 * what that one left, and learns nothing of this attempt (EF-2, E1).
 */
export async function isWrittenSince(core: Core, action: Action, attempt: Attempt): Promise<boolean> {
  const begun = beginOf(core, action, attempt);
  if (begun === undefined) return false;
  const itself = new Set<ActionId>([action.id, ...(begun.intent.together?.ids ?? [])]);
  const writes = new Set(writesOf(core, action));
  for (let seq = begun.seq + 1; ; seq += ROWS_AT_ONCE) {
    const rows = core.options.journal.rows(seq, ROWS_AT_ONCE);
    for (const row of rows) {
      const id = begunBy(row);
      const other = id === undefined || itself.has(id) ? undefined : core.action(id);
      if (other === undefined || !TOUCHED.has(other.state)) continue;
      if (writesOf(core, other).some((resource) => writes.has(resource))) return true;
    }
    if (rows.length < ROWS_AT_ONCE) return false;
    await new Promise<void>((resolve) => core.options.clock.soon(resolve));
  }
}

function begunBy(row: JournalRow): ActionId | undefined {
  if (row.kind !== 'intent-recorded' && row.kind !== 'revert-begun') return undefined;
  const event = eventOf(row);
  return 'action' in event ? event.action : undefined;
}
