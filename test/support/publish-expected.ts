import { parseCanonical } from '../../src/base/canonical-json.ts';
import type { Action } from '../../src/model/action.ts';
import { deviceId, type ActionId } from '../../src/model/ids.ts';
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
    changedAtMs: detail.history.findLast(({ kind }) => kind !== 'proposed')?.atMs ?? row.atMs,
    attention: 'attention' in action ? action.attention : null,
    attentionEntry: action.newestAttention?.entry ?? null,
    why: row.gate?.code === 'grace' ? action.remark : row.why,
    needs: setOf(row.needs.map((id) => seqOf.get(id) ?? 0)),
    saw: sawOf(detail, seqOf, record),
    holds: holdsOf(detail, record),
    by: byOf(lab, action),
    because: action.state === 'rejected' ? action.because : null,
    reason: action.state === 'rejected' ? action.reason : null,
    remark: action.remark ?? (action.state === 'applied' ? row.why : null),
    attempts: action.state === 'revert-in-doubt' ? action.intent.attempt : action.attempts,
    mayHappenTwice:
      (action.state === 'not-applied' && action.mayHappenTwice) ||
      (action.givenUp === true && ['pending', 'approved', 'held', 'failed', 'not-applied'].includes(action.state)),
    contradicted: 'contradicted' in action && action.contradicted,
    // As it was when it was looked at: nobody tells the runtime when the world moves afterwards.
    revertable: action.state === 'applied' ? (record?.revertable ?? NOT_SAID) : null,
    // What is over stays published until something changes.
    graceUntilMs:
      row.gate?.code === 'grace'
        ? row.gate.untilMs
        : action.state === 'approved'
          ? (record?.graceUntilMs ?? null)
          : null,
    file: record?.file ?? { $blob: row.digest, bytes: 0 },
  };
}

/** What is published may name what was applied since, too: that can still be reverted. */
function sawOf({ row }: ActionDetail, seqOf: ReadonlyMap<ActionId, number>, record: LedgerAction | undefined): SeqSet {
  if (!UNDECIDED.has(row.state)) return NONE;
  const saw = row.saw.map((id) => seqOf.get(id) ?? 0);
  const named = (seq: number): boolean => record?.saw.ranges.some(([from, to]) => from <= seq && seq <= to) === true;
  return saw.every(named) ? (record?.saw ?? NONE) : setOf(saw);
}

/** The card lists every hold that was ever asked for; what stands is some of them. */
function holdsOf({ action, holds }: ActionDetail, record: LedgerAction | undefined): LedgerAction['holds'] {
  if (action.state !== 'held' || !action.parked.own) return [];
  const known = new Set<string>(holds.map(({ hash }) => hash));
  const stands = record?.holds ?? [];
  return stands.length > 0 && stands.every(({ hash }) => known.has(hash))
    ? stands
    : [{ hash: action.digest, device: NOBODY }];
}

const NOT_SAID = { feasible: false, why: 'is missing' };
const NOBODY = deviceId(new Uint8Array(16));
const UNDECIDED: ReadonlySet<string> = new Set(['pending', 'approved', 'held']);
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

const DECIDING: ReadonlySet<string> = new Set(['approved', 'retried', 'held', 'released', 'rejected', 'revert-begun']);

function byOf(lab: PublishLab, action: Action): LedgerAction['by'] {
  if (action.state === 'pending') return null;
  const row = lab.world.journal.rowsOf(action.seq, 1_000).findLast(({ kind }) => DECIDING.has(kind));
  const entry = row && (parseCanonical(row.audit) as unknown as AuditEntry);
  if (!entry?.by) return null;
  return entry.by.type === 'device' ? entry.by : { type: entry.by.type };
}
