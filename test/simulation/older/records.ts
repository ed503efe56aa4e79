import { canonicalBytes, parseCanonical, type JsonObject } from '../../../src/base/canonical-json.ts';
import { err, ok, type Result } from '../../../src/base/result.ts';
import type { JournalRecord } from '../../../src/authority/ports.ts';
import type { Action, ActionState } from '../../../src/model/action.ts';
import type { SimDisk } from '../disk.ts';
import { foldAsVersionOne } from './fold.ts';

/** These left memory in version 1, whatever late evidence said. */
const SETTLED: ReadonlySet<ActionState> = new Set<ActionState>(['applied', 'reverted', 'rejected']);

/** Names under `meta`: those that version 1 wrote, and those that it kept nothing of. */
const KEPT: ReadonlySet<string> = new Set(['call', 'fell', 'fence', 'merkle', 'rejected', 'roster', 'run', 'session']);
const LEFT_OUT: ReadonlySet<string> = new Set([
  'needs',
  'needed',
  'late-reject',
  'owed-reissue',
  'clock-ahead',
  'heard',
  'settled',
]);

/** Notices that it had no sentence for. */
const NEW_NOTICES: ReadonlySet<unknown> = new Set(['drifted', 'contradicted']);

/**
 * The records that version 1 would have beside the rows of this disk: each action as its own step makes it, and without
 * what it did not keep. An error names what of the life so far it could not have had.
 */
export function recordsOfVersionOne(disk: Pick<SimDisk, 'rows' | 'tables'>): Result<readonly JournalRecord[]> {
  const folded = foldAsVersionOne(disk.rows);
  if (!folded.ok) return folded;
  const records: JournalRecord[] = [];
  for (const table of disk.tables.values())
    for (const record of table.values()) {
      const older = asOlder(record, folded.value);
      if (!older.ok) return older;
      if (older.value !== undefined) records.push(older.value);
    }
  return ok(records);
}

function asOlder(record: JournalRecord, actions: ReadonlyMap<string, Action>): Result<JournalRecord | undefined> {
  switch (record.table) {
    case 'action': {
      const action = actions.get(record.key);
      if (action === undefined) return err('an action without rows');
      return ok({ ...record, live: !SETTLED.has(action.state), value: canonicalBytes(action) });
    }
    case 'meta':
      return asOlderMeta(record);
    case 'session':
      return 'plan' in valueOf(record) ? err('a session whose host plans') : ok(record);
    case 'notice': {
      const { replacedBy, type } = valueOf(record);
      return NEW_NOTICES.has(type) || replacedBy !== undefined ? err('a new notice') : ok(record);
    }
    case 'row':
    case 'standing':
    case 'doc':
      return err(`a record in ${record.table}`);
    case 'sighting':
    case 'stance':
    case 'device':
    case 'receipt':
      return ok(record);
  }
}

function asOlderMeta(record: JournalRecord): Result<JournalRecord | undefined> {
  const [name = ''] = record.key.split(/[:/]/);
  if (KEPT.has(name)) return ok(record);
  if (LEFT_OUT.has(name)) return ok(undefined);
  // One revert by itself was one that had begun, and nothing more.
  const { steps } = valueOf(record);
  return name === 'revert-plan' && Array.isArray(steps) && steps.length === 1
    ? ok(undefined)
    : err(`a record of ${name}`);
}

function valueOf({ value }: JournalRecord): JsonObject {
  // reason: records of these tables are objects
  return parseCanonical(value) as JsonObject;
}
