import { parseCanonical } from '../../src/base/canonical-json.ts';
import type { Action } from '../../src/model/action.ts';
import type { ActionId } from '../../src/model/ids.ts';
import type { LedgerAction, SeqSet } from '../../src/model/ledger.ts';
import type { ActionDetail } from '../../src/model/owner-port.ts';
import type { AuditEntry } from '../../src/trust/audit.ts';
import type { PublishLab } from './publish-lab.ts';

/**
 * What the ledger should say, told by other means than the publisher's: from the queue, the cards and the log as the
 * owner door gives them. `rev` and `file` are taken as they are.
 */
export async function expected(lab: PublishLab): Promise<readonly LedgerAction[]> {
  const { authority } = lab;
  const rows = authority.queue({ all: true });
  const details = await Promise.all(rows.map(({ id }) => authority.show(id)));
  const published = new Map(lab.actions().map((record) => [record.id, record]));
  const seqOf = new Map(rows.map(({ id, seq }) => [id, seq]));
  return details.map((detail) => recordOf(lab, detail, seqOf, published.get(detail.row.id)));
}

function recordOf(
  lab: PublishLab,
  detail: ActionDetail,
  seqOf: ReadonlyMap<ActionId, number>,
  record: LedgerAction | undefined,
): LedgerAction {
  const { action, row } = detail;
  const { content, lineage } = action;
  return {
    v: 1,
    rev: record?.rev ?? 0,
    type: 'action',
    id: row.id,
    seq: row.seq,
    place: action.place,
    lane: action.lane,
    state: row.state,
    title: row.title,
    target: row.target,
    digest: row.digest,
    kind: row.kind,
    tool: row.tool,
    effectClass: row.effectClass,
    reversible: row.reversible,
    awaitDecision: content.awaitDecision,
    inspectable: true,
    verdict: row.verdict,
    session: lineage.session,
    root: lineage.root,
    turn: lineage.turn,
    proposedAtMs: row.atMs,
    changedAtMs: detail.history.filter(({ kind }) => kind !== 'proposed').at(-1)?.atMs ?? row.atMs,
    attention: 'attention' in action ? action.attention : null,
    attentionEntry: action.newestAttention?.entry ?? null,
    why: row.why,
    needs: setOf(row.needs.map((id) => seqOf.get(id) ?? 0)),
    saw: record?.saw ?? NONE,
    holds: record?.holds.length === detail.holds.length ? record.holds : [],
    by: byOf(lab, action),
    because: action.state === 'rejected' ? action.because : null,
    reason: action.state === 'rejected' ? action.reason : null,
    remark: action.remark ?? (action.state === 'applied' ? action.applied.drift : null),
    attempts: action.attempts,
    mayHappenTwice: action.state === 'not-applied' && action.mayHappenTwice,
    revertable: record?.revertable?.feasible === detail.revertable?.feasible ? (record?.revertable ?? null) : null,
    file: record?.file ?? { $blob: row.digest, bytes: 0 },
  };
}

const NONE: SeqSet = { ranges: [], more: false };

function setOf(seqs: readonly number[]): SeqSet {
  const ranges: [number, number][] = [];
  for (const seq of seqs.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return { ranges, more: false };
}

const DECIDING: readonly string[] = ['approved', 'retried', 'held', 'released', 'rejected', 'revert-begun'];

function byOf(lab: PublishLab, action: Action): LedgerAction['by'] {
  if (action.state === 'pending') return null;
  const row = lab.world.journal.rowsOf(action.seq, 1_000).findLast(({ kind }) => DECIDING.includes(kind));
  const entry = row && (parseCanonical(row.audit) as unknown as AuditEntry);
  if (!entry?.by) return null;
  return entry.by.type === 'device' ? entry.by : { type: entry.by.type };
}
