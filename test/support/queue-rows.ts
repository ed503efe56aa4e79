import type { ActionDetail, QueueRow } from '../../src/model/owner-port.ts';
import type { Action, Common } from '../../src/model/action.ts';
import { actionId, sessionId } from '../../src/model/ids.ts';
import { contentOf, digestOf } from './action-content.ts';

/** A point in time that all views of a test are drawn at. */
export const NOW_MS = Date.UTC(2026, 7, 14, 12, 0, 0);

export function actionIdOf(seq: number): QueueRow['id'] {
  return actionId(Uint8Array.from({ length: 16 }, (_, index) => (index === 15 ? seq : 7)));
}

export function sessionIdOf(n: number): QueueRow['session'] {
  return sessionId(new Uint8Array(16).fill(n));
}

/** A row of the queue with what a test wants otherwise. */
export function rowOf(seq: number, changes: Partial<QueueRow> = {}): QueueRow {
  const session = changes.session ?? sessionIdOf(1);
  return {
    id: actionIdOf(seq),
    seq,
    session,
    level: 'advisory',
    kind: 'file.write',
    tool: 'write_file',
    state: 'pending',
    title: `Write src/part-${seq}.ts`,
    target: `src/part-${seq}.ts`,
    digest: digestOf('d'),
    effectClass: 'E1',
    reversible: true,
    verdict: { autoApprovable: false, reason: 'writes a file' },
    why: null,
    attention: null,
    needs: [],
    saw: [],
    waitsFor: [],
    gate: null,
    contradicted: false,
    mayHappenTwice: false,
    changeSet: `${session}/1`,
    atMs: NOW_MS - 3 * 60_000,
    ...changes,
  };
}

export function commonOf(row: QueueRow): Common {
  return {
    id: row.id,
    seq: row.seq,
    place: row.seq,
    lane: row.session,
    content: contentOf(),
    digest: row.digest,
    verdict: row.verdict,
    reversibleWhy: row.reversible ? 'the bytes before are kept' : 'a message cannot be called back',
    lineage: { session: row.session, root: row.session, turn: 1, callId: null, sawThrough: 0 },
    proposedAtMs: row.atMs,
    needs: row.needs,
    overlay: [],
    attempts: 0,
    revertAttempts: 0,
    remark: null,
    result: null,
  };
}

/** The detail of a row whose action is pending, or the one given. */
export function detailOf(row: QueueRow, changes: Partial<ActionDetail> = {}): ActionDetail {
  const action: Action = { ...commonOf(row), state: 'pending', attention: null };
  return {
    row,
    action,
    falls: [],
    lookAgain: [],
    revertable: null,
    revertPlan: null,
    history: [],
    holds: [],
    ...changes,
  };
}
