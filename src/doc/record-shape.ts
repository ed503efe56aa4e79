import {
  distinct,
  flag,
  list,
  nullable,
  oneOf,
  parsed,
  record,
  text,
  wrong,
  jsonObject,
  type Reader,
} from '../base/shape.ts';
import { count, device, digest, epochMs, ordinal, version1, workspace } from '../access/fields.ts';
import { RIGHT_ORDER } from '../access/rights.ts';
import { ACTION_STATES, type AttentionKind, type RejectedBecause } from '../model/action.ts';
import type { BlobRef } from '../model/content.ts';
import {
  LEDGER_LIMITS,
  type LedgerAction,
  type LedgerActor,
  type LedgerDevice,
  type LedgerKind,
  type LedgerReceipt,
  type LedgerRecord,
  type LedgerRule,
  type LedgerSession,
  type LedgerStanding,
  type LedgerSum,
  type LedgerWorkspace,
  type SeqRange,
  type SeqSet,
} from '../model/ledger.ts';
import type { Level } from '../model/owner-port.ts';
import type { FieldKind } from '../model/card.ts';
import { parseActionId, parseRuleId, parseSessionId } from '../model/ids.ts';
import { RULE_LIMITS } from '../model/rules.ts';
import { STANDING_LIMITS } from '../model/standing.ts';
import type { SignedText } from '../model/signed-text.ts';

const action = parsed(parseActionId);
const session = parsed(parseSessionId);
const words = text({ bytesMax: LEDGER_LIMITS.textBytesMax });
/** A path, which may be longer than what a person writes. */
const path = text({ bytesMax: 4096 });

const blobRef: Reader<BlobRef> = record({ $blob: digest, bytes: count });

const range: Reader<SeqRange> = (value, at) => {
  const [from, to] = list(ordinal, { min: 2, max: 2 })(value, at);
  if (from === undefined || to === undefined || from > to) wrong(at, 'must be a range');
  return [from, to];
};

const seqSet: Reader<SeqSet> = record({ ranges: list(range, { max: LEDGER_LIMITS.rangesMax }), more: flag });

const byDevice: Reader<LedgerActor> = record({ type: oneOf('device'), device, n: ordinal });
const byRule: Reader<LedgerActor> = record({ type: oneOf('rule'), rule: parsed(parseRuleId) });
const byOther: Reader<LedgerActor> = record({ type: oneOf('session', 'authority') });
const actor: Reader<LedgerActor> = (value, at) => {
  const { type } = jsonObject(value, at);
  return (type === 'device' ? byDevice : type === 'rule' ? byRule : byOther)(value, at);
};

const ATTENTION_KINDS = [
  'stale',
  'conflict',
  'tool-changed',
  'premise-withdrawn',
  'reissued',
  'rule-gone',
] as const satisfies readonly AttentionKind[];

const REJECTED_BECAUSE = [
  'person',
  'cascade',
  'withdrawn',
  'user-edited',
  'surface-removed',
] as const satisfies readonly RejectedBecause[];

const LEVELS = ['contained', 'hooked', 'advisory'] as const satisfies readonly Level[];

const ledgerAction: Reader<LedgerAction> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('action'),
  id: action,
  seq: ordinal,
  place: count,
  lane: words,
  state: oneOf(...ACTION_STATES),
  title: words,
  target: words,
  digest,
  kind: words,
  tool: words,
  effectClass: oneOf('E0', 'E1', 'E2', 'E3', 'E4'),
  reversible: flag,
  awaitDecision: flag,
  inspectable: flag,
  verdict: record({ autoApprovable: flag, reason: words }),
  session,
  root: session,
  turn: count,
  proposedAtMs: epochMs,
  changedAtMs: epochMs,
  attention: nullable(record({ kind: oneOf(...ATTENTION_KINDS), entry: ordinal, why: words })),
  attentionEntry: nullable(ordinal),
  why: nullable(words),
  needs: seqSet,
  saw: seqSet,
  holds: distinct(list(record({ hash: digest, device }), { max: 64 }), (each) => each.hash),
  by: nullable(actor),
  because: nullable(oneOf(...REJECTED_BECAUSE)),
  reason: nullable(words),
  remark: nullable(words),
  attempts: count,
  mayHappenTwice: flag,
  contradicted: flag,
  revertable: nullable(record({ feasible: flag, why: words })),
  graceUntilMs: nullable(epochMs),
  file: blobRef,
});

const ledgerSession: Reader<LedgerSession> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('session'),
  id: session,
  client: words,
  name: nullable(words),
  level: oneOf(...LEVELS),
  connected: flag,
  openedAtMs: epochMs,
  wakes: flag,
  nearlyFull: nullable(words),
});

const ledgerWorkspace: Reader<LedgerWorkspace> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('workspace'),
  id: workspace,
  name: words,
  root: path,
  quarantine: nullable(words),
  open: count,
  moved: nullable(record({ why: words, actions: seqSet })),
});

const ledgerDevice: Reader<LedgerDevice> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('device'),
  id: device,
  nickname: words,
  right: oneOf(...RIGHT_ORDER),
  removed: flag,
});

const signedText: Reader<SignedText> = record({
  payload: text({ bytesMax: LEDGER_LIMITS.recordBytesMax }),
  signature: text({ bytesMin: 128, bytesMax: 128 }),
});

const receipt: Reader<SignedText | BlobRef> = (value, at) =>
  Object.hasOwn(jsonObject(value, at), '$blob') ? blobRef(value, at) : signedText(value, at);

const receiptShape = record({
  v: version1,
  rev: ordinal,
  type: oneOf('receipt'),
  id: text({ bytesMax: 64 }),
  device,
  n: ordinal,
  receipt,
});

const ledgerReceipt: Reader<LedgerReceipt> = (value, at) => {
  const made = receiptShape(value, at);
  if (made.id !== `${made.device}/${made.n}`) wrong('id', 'must be device/n');
  return made;
};

const ledgerSum: Reader<LedgerSum> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('sum'),
  id: oneOf('sum'),
  count,
  sum: digest,
  size: count,
  root: digest,
});

const ledgerStanding: Reader<LedgerStanding> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('standing'),
  id: oneOf('standing'),
  mode: oneOf('act', 'plan'),
  modeBy: nullable(actor),
  modeAtMs: nullable(epochMs),
  hostPlans: list(session, { max: STANDING_LIMITS.pausesMax }),
  pauses: list(record({ session: nullable(session), by: actor, atMs: epochMs }), { max: STANDING_LIMITS.pausesMax }),
});

const ledgerRule: Reader<LedgerRule> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('rule'),
  id: parsed(parseRuleId),
  kind: words,
  text: text({ bytesMin: 1, bytesMax: RULE_LIMITS.textBytesMax }),
  device,
  n: ordinal,
  uses: count,
  usesMax: nullable(ordinal),
  addedAtMs: epochMs,
  expiresAtMs: nullable(epochMs),
});

const FIELD_KINDS = [
  'path',
  'text',
  'bytes',
  'url',
  'recipient',
  'diff',
  'amount',
] as const satisfies readonly FieldKind[];

const ledgerKind: Reader<LedgerKind> = record({
  v: version1,
  rev: ordinal,
  type: oneOf('kind'),
  id: text({ bytesMax: 64 }),
  tag: text({ bytesMin: 1, bytesMax: RULE_LIMITS.tagBytesMax }),
  label: words,
  toolDigest: digest,
  fields: list(
    record({
      label: words,
      pointer: text({ bytesMin: 1, bytesMax: RULE_LIMITS.pointerBytesMax }),
      as: oneOf(...FIELD_KINDS),
    }),
    { max: LEDGER_LIMITS.kindFieldsMax },
  ),
});

const OF_TYPE: { readonly [T in LedgerRecord['type']]: Reader<LedgerRecord> } = {
  action: ledgerAction,
  session: ledgerSession,
  workspace: ledgerWorkspace,
  standing: ledgerStanding,
  rule: ledgerRule,
  kind: ledgerKind,
  device: ledgerDevice,
  receipt: ledgerReceipt,
  sum: ledgerSum,
};

/** One record of the ledger, every member and limit checked. */
export const ledgerRecord: Reader<LedgerRecord> = (value, at) => {
  const type = oneOf(
    'action',
    'session',
    'workspace',
    'standing',
    'rule',
    'kind',
    'device',
    'receipt',
    'sum',
  )(jsonObject(value, at)['type'] ?? null, 'type');
  return OF_TYPE[type](value, at);
};
