import { canonicalBytes } from '../../base/canonical-json.ts';
import type { LedgerDraft } from '../../doc/ledger-author.ts';
import type { Actor } from '../../model/action.ts';
import { LEDGER_LIMITS, type LedgerActor } from '../../model/ledger.ts';
import type { RuleKind } from '../../model/rule-text.ts';
import { RULE_LIMITS } from '../../model/rules.ts';
import { STANDING_LIMITS } from '../../model/standing.ts';
import type { Core } from '../core.ts';
import { planningSessions } from '../plan-mode.ts';
import { ruleKinds } from '../rule-approval.ts';

export const STANDING_ID = 'standing';

/** Bytes left for what every record has besides. */
const KIND_BYTES_MAX = LEDGER_LIMITS.recordBytesMax - 512;

/** Ids of all records that say what people have set, and what they can set. */
export function standingIds(core: Core): readonly string[] {
  return [STANDING_ID, ...core.standing.rules.map(({ id }) => id), ...kinds(core).map(kindId)];
}

/** Is this the id of one of them, also of one that is there no more? */
export function isStandingId(id: string): boolean {
  return id === STANDING_ID || id.startsWith('r-') || id.startsWith('kind:');
}

/** The record of this id; `undefined` for a rule or a kind that is there no more. */
export function standingDraft(core: Core, id: string): LedgerDraft | undefined {
  if (id === STANDING_ID) return settings(core);
  const rule = core.standing.rules.find((each) => each.id === id);
  if (rule !== undefined) {
    const { where: _where, toolDigest: _digest, ...said } = rule;
    return { v: 1, type: 'rule', ...said };
  }
  const kind = kinds(core).find((each) => kindId(each) === id);
  return kind && { v: 1, type: 'kind', id, ...kind };
}

function settings(core: Core): LedgerDraft {
  const { mode, modeSet, pauses } = core.standing;
  return {
    v: 1,
    type: 'standing',
    id: STANDING_ID,
    mode,
    modeBy: modeSet === null ? null : actor(modeSet.by),
    modeAtMs: modeSet?.atMs ?? null,
    hostPlans: planningSessions(core)
      .map(({ record }) => record.id)
      .slice(0, STANDING_LIMITS.pausesMax),
    pauses: pauses.map(({ atMs, by, session }) => ({ session, by: actor(by), atMs })),
  };
}

/** Those that fit: for the others rules are made where the runtime is. */
function kinds(core: Core): readonly RuleKind[] {
  return ruleKinds(core).filter(fits).slice(0, LEDGER_LIMITS.kindsMax);
}

function fits(kind: RuleKind): boolean {
  const short = kind.fields.every(({ pointer }) => pointer.length > 0 && pointer.length <= RULE_LIMITS.pointerBytesMax);
  return short && kind.fields.length <= LEDGER_LIMITS.kindFieldsMax && canonicalBytes(kind).length <= KIND_BYTES_MAX;
}

function kindId({ toolDigest }: RuleKind): string {
  return `kind:${toolDigest.slice(0, 32)}`;
}

function actor(by: Actor): LedgerActor {
  return by.type === 'device' ? by : { type: by.type };
}
