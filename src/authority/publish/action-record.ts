import { utf8 } from '../../base/bytes.ts';
import { canonicalText } from '../../base/canonical-json.ts';
import type { LedgerDraft } from '../../doc/ledger-author.ts';
import { UNCOMMITTED_STATES, type Action } from '../../model/action.ts';
import type { ActionId } from '../../model/ids.ts';
import { mayHappenTwice } from '../../model/lifecycle.ts';
import { LEDGER_LIMITS, type LedgerAction } from '../../model/ledger.ts';
import type { Core } from '../core.ts';
import { shutGate } from '../gates.ts';
import { resolvedWhy } from '../resolve.ts';
import { lateReject } from '../late-reject.ts';
import { whyOf } from '../rows.ts';
import { rulingOn } from '../stance.ts';
import { actionFileRef } from './action-file.ts';
import { cardLine } from './card-line.ts';
import { clip } from './clip.ts';
import { PUBLISH_LIMITS } from './limits.ts';
import { seqSetOf } from './seq-set.ts';
import { ledgerActor, type Traced } from './trail.ts';

export type ActionDraft = Extract<LedgerDraft, { readonly type: 'action' }>;

/** Bytes of the fields around a draft that the ledger adds: its revision. */
const REVISION_BYTES = 32;

/** Bytes of everything but texts, where neither numbers nor holds are many: ids, digests, names of members. */
const OTHER_BYTES_MAX = 4 * 1024;

/** Holds named in one record; a release of more lifts these first. */
const HOLDS_MAX = 64;

/** An action as the ledger shows it: a function of the present, and of what is remembered of its past. */
export function actionDraft(
  core: Core,
  action: Action,
  { revertable, traced }: { readonly traced: Traced; readonly revertable: LedgerAction['revertable'] },
): ActionDraft {
  const draft = draftOf(core, action, traced, revertable);
  if (textUnits(draft) * 3 + OTHER_BYTES_MAX <= LEDGER_LIMITS.recordBytesMax) return draft;
  const bytes = utf8(canonicalText(draft)).length + REVISION_BYTES;
  return bytes <= LEDGER_LIMITS.recordBytesMax ? draft : shortened(draft);
}

/** Most have few words, and are not encoded only to be measured. */
function textUnits({ attention, ...draft }: ActionDraft): number {
  const { kind, lane, reason, remark, revertable, target, title, tool, verdict, why } = draft;
  const texts = [kind, lane, reason, remark, revertable?.why, target, title, tool, verdict.reason, why, attention?.why];
  return texts.reduce((sum: number, text) => sum + (text?.length ?? 0), 0);
}

function draftOf(core: Core, action: Action, traced: Traced, revertable: LedgerAction['revertable']): ActionDraft {
  const { content, lineage } = action;
  const card = cardLine(core, action);
  const attention = 'attention' in action ? (action.attention ?? null) : null;
  return clipped(
    {
      v: 1,
      type: 'action',
      id: action.id,
      seq: action.seq,
      place: action.place,
      lane: action.lane,
      state: action.state,
      title: card.title,
      target: card.target,
      digest: action.digest,
      kind: content.kind.tag,
      tool: content.tool,
      effectClass: content.effectClass,
      reversible: content.reversible,
      awaitDecision: content.awaitDecision,
      inspectable: card.inspectable,
      verdict: action.verdict,
      session: lineage.session,
      root: lineage.root,
      turn: lineage.turn,
      proposedAtMs: action.proposedAtMs,
      changedAtMs: traced.changedAtMs,
      attention,
      attentionEntry: action.newestAttention?.entry ?? null,
      why: publishedWhy(core, action),
      needs: seqSetOf(numbersOf(core, action.needs)),
      saw: seqSetOf(sawOf(core, action)),
      holds: holdsOn(core, action),
      by: byOf(action, traced),
      because: action.state === 'rejected' ? action.because : null,
      reason: action.state === 'rejected' ? action.reason : null,
      remark:
        action.remark ??
        (action.state === 'applied' ? (lateReject(core, action) ?? action.applied.drift) : null) ??
        resolvedWhy(action),
      // A revert counts on its own, and is settled by its own number (EF-2).
      attempts: action.state === 'revert-in-doubt' ? action.intent.attempt : action.attempts,
      mayHappenTwice: UNCOMMITTED_STATES.has(action.state) && mayHappenTwice(action),
      contradicted: (action.state === 'applied' || action.state === 'not-applied') && action.contradicted,
      revertable,
      graceUntilMs: core.graces.untilMs(action.id),
      file: actionFileRef(core, action),
    },
    LEDGER_LIMITS.textBytesMax,
  );
}

/** Texts of the agent, of surfaces and of people have bounds of their own, and all together pass a record's. */
function shortened(draft: ActionDraft): ActionDraft {
  return clipped(draft, PUBLISH_LIMITS.shortTextBytes);
}

function clipped(draft: ActionDraft, bytesMax: number): ActionDraft {
  const cut = (text: string): string => clip(text, bytesMax);
  const cutOr = (text: string | null): string | null => (text === null ? null : cut(text));
  const { attention, revertable, verdict } = draft;
  return {
    ...draft,
    lane: cut(draft.lane),
    title: cut(draft.title),
    target: cut(draft.target),
    kind: cut(draft.kind),
    tool: cut(draft.tool),
    verdict: { autoApprovable: verdict.autoApprovable, reason: cut(verdict.reason) },
    attention: attention === null ? null : { ...attention, why: cut(attention.why) },
    why: cutOr(draft.why),
    reason: cutOr(draft.reason),
    remark: cutOr(draft.remark),
    revertable: revertable === null ? null : { feasible: revertable.feasible, why: cut(revertable.why) },
  };
}

/** A grace period ends without a change that would be published, so it has a field of its own and no sentence. */
function publishedWhy(core: Core, action: Action): string | null {
  const inGrace = action.state === 'approved' && shutGate(core, action)?.code === 'grace';
  return inGrace ? action.remark : whyOf(core, action);
}

/** Who decided what it is now; of what is undecided nobody did. */
function byOf(action: Action, traced: Traced): LedgerAction['by'] {
  if (action.state === 'pending') return null;
  if (action.state === 'approved' || action.state === 'applying' || action.state === 'rejected')
    return ledgerActor(action.by);
  return traced.by;
}

/** Only what stands: a release has to name exactly these (DC-3). */
function holdsOn(core: Core, action: Action): LedgerAction['holds'] {
  if (action.state !== 'held') return [];
  const ruling = rulingOn(core, action);
  return ruling.type === 'held' ? ruling.by.slice(0, HOLDS_MAX).map(({ device, hash }) => ({ hash, device })) : [];
}

/**
 * What it was proposed after seeing, as far as that can still be withdrawn: also what was applied since, for that can
 * be reverted. Said of what can be looked at again, and of nothing else.
 */
function sawOf(core: Core, action: Action): readonly number[] {
  if (action.state !== 'pending' && action.state !== 'approved' && action.state !== 'held') return [];
  const sightings = core.state.session(action.lineage.root)?.sightings ?? new Map<ActionId, number>();
  const seen = [...sightings].flatMap(([id, sighting]) =>
    sighting <= action.lineage.sawThrough && id !== action.id && !action.needs.includes(id) ? [id] : [],
  );
  return numbersOf(core, seen);
}

function numbersOf(core: Core, ids: readonly ActionId[]): readonly number[] {
  // The order of an action's record is its number, so none has to be read whole for it.
  return ids.flatMap((id) => core.state.recent(id)?.seq ?? core.options.journal.record('action', id)?.order ?? []);
}
