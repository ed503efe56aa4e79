import { canonicalBytes, canonicalText, parseCanonical, type Json, type JsonObject } from '../base/canonical-json.ts';
import { utf8 } from '../base/bytes.ts';
import { CountersignError } from '../base/errors.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { Sha256, Signer, Verify } from '../crypto/ports.ts';
import {
  BODY_KINDS,
  DECISION_LIMITS,
  ITEM_KINDS,
  type BodyKind,
  type Decision,
  type DecisionKind,
  type ItemKind,
} from '../model/decision.ts';
import { digestFrom } from '../model/digest.ts';
import { parseRuleId, parseSessionId, type Digest, type HomeId, type WorkspaceId } from '../model/ids.ts';
import { ruleWish } from '../model/rules.ts';
import type { SignedText } from '../model/signed-text.ts';
import { count, device, digest, epochMs, home, ordinal, version1, workspace } from '../access/fields.ts';
import { action } from './fields.ts';
import {
  distinct,
  flag,
  jsonObject,
  list,
  nullable,
  oneOf,
  parsed,
  read,
  record,
  text,
  whole,
  wrong,
  type Reader,
} from '../base/shape.ts';
import { openRecord, signedMessage, signRecord } from '../access/signed.ts';

const { itemsMax, bytesMax, textBytesMax } = DECISION_LIMITS;

export const DECISION_TEXT_LIMITS = {
  /** Programs named in `via`, and UTF-8 bytes of one name: a process chain is short, and only people read it. */
  viaMax: 32,
  viaBytesMax: 256,
  /** Line remarks of one `change`, and UTF-8 bytes of a path in one (PATH_MAX on Linux). */
  remarksMax: 512,
  pathBytesMax: 4096,
  /** UTF-8 bytes of a batch id. */
  batchIdBytesMax: 64,
} as const;

const words = text({ bytesMax: textBytesMax });
const remark = record({
  path: text({ bytesMin: 1, bytesMax: DECISION_TEXT_LIMITS.pathBytesMax }),
  line: ordinal,
  text: text({ bytesMin: 1, bytesMax: textBytesMax }),
});

const changeShape = record({ say: words, remarks: list(remark, { max: DECISION_TEXT_LIMITS.remarksMax }) });
const change: Reader<unknown> = (value, at) => {
  const body = changeShape(value, at);
  if (body.say === '' && body.remarks.length === 0) wrong(at, 'must say something');
  return body;
};

/** What each kind over items needs in its body. `null`: it has none. */
const ITEM_BODY: { readonly [K in ItemKind]: { readonly reader: Reader<unknown>; readonly needed: boolean } | null } = {
  approve: { needed: true, reader: record({ mode: oneOf('all-or-none', 'rest') }, { unseenLines: count }) },
  reject: { needed: false, reader: record({ because: oneOf('user-edited') }) },
  change: { needed: true, reader: change },
  edit: { needed: true, reader: record({ arguments: jsonObject }) },
  hold: null,
  release: null,
  retract: null,
  reissue: { needed: true, reader: record({ mode: oneOf('merge', 'theirs') }) },
  revert: { needed: false, reader: record({}, { planHash: digest }) },
  retry: { needed: false, reader: record({}, { mayHappenTwice: flag }) },
  settle: { needed: true, reader: record({ answer: oneOf('happened', 'did-not'), attempt: ordinal }) },
  reconsider: null,
  anyway: null,
};

const ofSession = { needed: false, reader: record({}, { session: parsed(parseSessionId) }) };
const anyBody = { needed: false, reader: jsonObject };

/** The same for kinds over a body alone. Those that this version does not take are read by nobody. */
const BODY_BODY: { readonly [K in BodyKind]: { readonly reader: Reader<unknown>; readonly needed: boolean } } = {
  'rule.add': { needed: true, reader: ruleWish },
  'rule.remove': { needed: true, reader: record({ rule: parsed(parseRuleId) }) },
  mode: { needed: true, reader: record({ mode: oneOf('act', 'plan') }) },
  pause: ofSession,
  resume: ofSession,
  'device.confirm': anyBody,
  'device.rights': anyBody,
  'device.revoke': anyBody,
  'quarantine.leave': anyBody,
  adopt: anyBody,
};

const item = record({ id: action, digest }, { attention: ordinal });
const shape = record(
  {
    v: version1,
    home,
    workspace,
    device,
    n: ordinal,
    prev: nullable(digest),
    kind: oneOf<DecisionKind>(...ITEM_KINDS, ...BODY_KINDS),
    items: distinct(list(item, { max: itemsMax }), (one) => one.id),
    holdsLifted: distinct(list(digest, { max: itemsMax }), (one) => one),
    seen: nullable(record({ counter: count, atMs: epochMs, size: count, root: digest })),
  },
  {
    batch: record({
      id: text({ bytesMin: 1, bytesMax: DECISION_TEXT_LIMITS.batchIdBytesMax }),
      index: whole(0),
      of: ordinal,
    }),
    body: jsonObject,
    note: words,
    via: list(text({ bytesMax: DECISION_TEXT_LIMITS.viaBytesMax }), { max: DECISION_TEXT_LIMITS.viaMax }),
  },
);

const decision: Reader<Decision> = (value, at) => {
  const made = shape(value, at);
  if ((made.n === 1) !== (made.prev === null)) wrong('prev', 'must be null for the first decision, and only for it');
  if (made.batch !== undefined && made.batch.index >= made.batch.of) wrong('batch.index', 'must be below batch.of');
  if (made.kind !== 'release' && made.holdsLifted.length > 0) wrong('holdsLifted', 'belongs to a release only');
  if (isItemKind(made.kind)) checkItemKind(made.kind, made);
  else checkBodyKind(made.kind, made);
  return made;
};

/** A decision, every field and limit checked. Unknown members are refused: a person signed what we cannot read. */
export function parseDecision(value: Json): Result<Decision> {
  const result = read(decision, value);
  if (!result.ok) return result;
  if (canonicalBytes(value).length > bytesMax) return err(`A decision may have ${bytesMax} bytes at most.`);
  return ok(result.value);
}

/** Throws: `bad-input` for a decision that `parseDecision` refuses. */
export function signDecision(signer: Signer, value: Decision): SignedText {
  return signRecord(signer, 'decision', decision, value);
}

/**
 * What to sign, for keys that sign in their own time (WebCrypto): the payload, and the message to be signed.
 *
 * Throws: `bad-input` for a decision that `parseDecision` refuses.
 */
export function decisionToSign(value: Decision): { readonly payload: string; readonly message: Uint8Array } {
  const payload = canonicalText(value);
  const bytes = utf8(payload);
  const checked = parseDecision(parseCanonical(bytes));
  if (!checked.ok) throw new CountersignError('bad-input', `This decision cannot be signed. ${checked.error}`);
  return { payload, message: signedMessage({ type: 'decision', home: value.home, workspace: value.workspace }, bytes) };
}

/** The decision in a signed text, if this device key signed it for this home and workspace. */
export function openDecision(
  verify: Verify,
  publicKey: Uint8Array,
  place: { readonly home: HomeId; readonly workspace: WorkspaceId },
  signed: SignedText,
): Result<Decision> {
  return openRecord({ verify, publicKey, domain: { ...place, type: 'decision' }, signed }, decision);
}

/** What the next decision's `prev`, a receipt and a lifted hold name: SHA-256 of the payload as it was signed. */
export function decisionHash(sha256: Sha256, payload: string): Digest {
  return digestFrom(sha256(utf8(payload)));
}

function checkItemKind(kind: ItemKind, made: { readonly items: readonly unknown[]; readonly body?: JsonObject }): void {
  if (made.items.length === 0) wrong('items', `must name at least one action to ${kind}`);
  if (kind === 'edit' && made.items.length > 1)
    wrong('items', 'may name one action only: an edit is of its own arguments');
  const body = ITEM_BODY[kind];
  if (made.body === undefined) {
    if (body?.needed === true) wrong('body', `is missing: ${kind} needs one`);
    return;
  }
  if (body === null) wrong('body', `must be absent for ${kind}`);
  body.reader(made.body, 'body');
}

function checkBodyKind(kind: BodyKind, made: { readonly items: readonly unknown[]; readonly body?: JsonObject }): void {
  if (made.items.length > 0) wrong('items', `must be empty for ${kind}`);
  const { needed, reader } = BODY_BODY[kind];
  if (made.body !== undefined) reader(made.body, 'body');
  else if (needed) wrong('body', `is missing: ${kind} needs one`);
}

function isItemKind(kind: DecisionKind): kind is ItemKind {
  return ITEM_KINDS.some((one) => one === kind);
}
