import { toHex, utf8 } from '../../src/base/bytes.ts';
import { canonicalBytes, parseCanonical } from '../../src/base/canonical-json.ts';
import type { Journal, JournalBatch, JournalRecord } from '../../src/authority/ports.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import type { Action } from '../../src/model/action.ts';
import { actionId, sessionId } from '../../src/model/ids.ts';
import { digestFrom } from '../../src/model/digest.ts';
import type { EventBody, JournalRow } from '../../src/model/event.ts';
import { makeRow } from '../../src/trust/journal-row.ts';

const BATCH = 1_000;

/**
 * Puts settled actions into a journal as if each had been proposed, approved and applied: the same rows and records
 * in the same format, without the effects, because those would take an hour.
 */
export async function addHistory(journal: Journal, count: number): Promise<void> {
  const session = sessionId(nodeCrypto.sha256(utf8('history')));
  for (let from = 1; from <= count; from += BATCH) {
    const rows: JournalRow[] = [];
    const puts: JournalRecord[] = [];
    let head = journal.head();
    for (let seq = from; seq < from + BATCH && seq <= count; seq++) {
      const action = settledAction(seq, session);
      for (const body of eventsOf(action)) {
        const row = makeRow(nodeCrypto.sha256, head, {
          body,
          atMs: 1_700_000_000_000 + seq,
          salt: toHex(nodeCrypto.sha256(utf8(`${seq}`)).subarray(0, 16)),
        });
        rows.push(row);
        head = { seq: row.seq, root: row.root };
      }
      puts.push({ table: 'action', key: action.id, order: seq, live: false, value: canonicalBytes(action) });
    }
    const batch: JournalBatch = { rows, puts, drops: [], blobs: [] };
    await journal.commit(batch);
  }
}

function settledAction(seq: number, session: ReturnType<typeof sessionId>): Action {
  const hash = nodeCrypto.sha256(utf8(`history ${seq}`));
  const digest = digestFrom(hash);
  const content = {
    v: 1,
    kind: { tag: 'file.write', label: 'Write a file' },
    tool: 'write_file',
    arguments: { path: `old/${seq}.ts`, content: { $blob: digest, bytes: 1024 } },
  };
  // reason: shaped like an applied write as far as anything that looks at history looks
  return parseCanonical(
    canonicalBytes({
      id: actionId(hash),
      seq,
      place: seq,
      lane: `session:${session}`,
      content,
      digest,
      verdict: { autoApprovable: true, reason: 'An ordinary text file.' },
      reversibleWhy: 'The former bytes are kept.',
      lineage: { session, root: session, turn: 1, callId: null, sawThrough: 0 },
      proposedAtMs: 1_700_000_000_000 + seq,
      needs: [],
      overlay: [{ resource: `file:old/${seq}.ts`, value: null }],
      result: null,
      attempts: 1,
      revertAttempts: 0,
      remark: null,
      state: 'applied',
      contradicted: false,
      applied: {
        attempt: 1,
        atMs: 1_700_000_000_000 + seq,
        evidence: { sha256: digest },
        drift: null,
        known: 'surface',
      },
    }),
  ) as unknown as Action;
}

function eventsOf(action: Action): readonly EventBody[] {
  const about = { action: action.id, n: action.seq, digest: action.digest };
  const intent = {
    attempt: 1,
    idempotencyKey: action.digest.slice(0, 32),
    atMs: action.proposedAtMs,
    deadlineMs: action.proposedAtMs + 60_000,
  };
  if (action.state !== 'applied') throw new Error('history is made of applied actions');
  return [
    { ...about, kind: 'proposed', record: action, saw: [] },
    { ...about, kind: 'intent-recorded', intent },
    { ...about, kind: 'applied', applied: action.applied, result: null },
  ];
}
