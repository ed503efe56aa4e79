import { parseCanonical } from '../base/canonical-json.ts';
import type { ActionDetail } from '../model/owner-port.ts';
import type { Action, Actor } from '../model/action.ts';
import type { AuditEntry } from '../trust/audit.ts';
import type { Core } from './core.ts';
import { nicknameOf } from './ending.ts';

/** Lines of history a card shows; the audit log has all of them. */
const HISTORY_MAX = 100;

/** What happened to an action, as the audit log says it. */
export function historyOf(core: Core, action: Action): ActionDetail['history'] {
  return core.options.journal.rowsOf(action.seq, HISTORY_MAX).map((row) => {
    // reason: audit bytes are made by trust from an event, and chained
    const entry = parseCanonical(row.audit) as unknown as AuditEntry;
    const detail = entry.why === null ? {} : { why: entry.why };
    return { seq: row.seq, atMs: row.atMs, kind: row.kind, by: actorName(core, entry.by), detail };
  });
}

function actorName(core: Core, by: Actor | null): string {
  if (by === null) return 'unknown';
  if (by.type === 'device') return nicknameOf(core, by);
  return by.type === 'session' ? core.session(by.session).record.client : 'runtime';
}
