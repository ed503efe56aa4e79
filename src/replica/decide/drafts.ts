import { assert } from '../../base/assert.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import type { DecisionDraft } from '../../model/decision-drafts.ts';
import { DECISION_LIMITS, type DecisionItem, type ItemKind, type Seen } from '../../model/decision.ts';
import type { DeviceId, Digest, HomeId } from '../../model/ids.ts';
import type { LedgerAction } from '../../model/ledger.ts';
import { grouped } from '../grouped.ts';
import type { Wish } from '../types.ts';

/** Hashes of holds in one decision: a quarter of what may be named, so that the items find room beside them. */
const HOLDS_MAX = DECISION_LIMITS.itemsMax / 4;

/** Who decides, and what its person could have seen. No clock of this device is in it (DC-5). */
export interface Signing {
  readonly home: HomeId;
  readonly device: DeviceId;
  readonly seen: Seen | null;
}

/**
 * A wish bound to what the actions are now (DC-1, DC-12), in the order of places. More than one draft where the items
 * need different bodies, or lift more holds than one decision may name.
 */
export function draftsOf(signing: Signing, wish: Wish, records: readonly LedgerAction[]): readonly DecisionDraft[] {
  return partsOf(wish.kind, records).map((part): DecisionDraft => {
    const body = bodyOf(wish, part);
    const note = wish.kind === 'change' && wish.body === undefined ? undefined : wish.note;
    return {
      v: 1,
      home: signing.home,
      workspace: wish.workspace,
      device: signing.device,
      kind: wish.kind,
      items: part.map(itemOf),
      holdsLifted: wish.kind === 'release' ? holdsOf(part) : [],
      seen: signing.seen,
      ...(body === undefined ? {} : { body }),
      ...(note === undefined || note === '' ? {} : { note }),
    };
  });
}

/** The body a wish will be signed with, before what differs from action to action is filled in. */
export function wishedBody({ body, kind, note = '' }: Pick<Wish, 'body' | 'kind' | 'note'>): JsonObject | undefined {
  if (body !== undefined) return body;
  if (kind === 'approve') return { mode: 'rest' };
  return kind === 'change' ? { say: note, remarks: [] } : undefined;
}

function bodyOf(wish: Wish, [first]: readonly LedgerAction[]): JsonObject | undefined {
  const body = wishedBody(wish);
  assert(first !== undefined, 'a part of a decision has an item');
  return wish.kind === 'settle' ? { ...body, attempt: first.attempts } : body;
}

/** The newest attention ever raised is named, also where nothing has to be looked at again now. */
function itemOf({ attentionEntry, digest, id }: LedgerAction): DecisionItem {
  return attentionEntry === null ? { id, digest } : { id, digest, attention: attentionEntry };
}

function holdsOf(records: readonly LedgerAction[]): readonly Digest[] {
  return [...new Set(records.flatMap(({ holds }) => holds.map(({ hash }) => hash)))];
}

function partsOf(kind: ItemKind, records: readonly LedgerAction[]): readonly (readonly LedgerAction[])[] {
  if (kind === 'settle') return [...grouped(records, ({ attempts }) => attempts).values()];
  return kind === 'release' ? byHolds(records) : [records];
}

function byHolds(records: readonly LedgerAction[]): readonly (readonly LedgerAction[])[] {
  const parts: LedgerAction[][] = [];
  let holds = Number.POSITIVE_INFINITY;
  for (const record of records) {
    holds += record.holds.length;
    if (holds > HOLDS_MAX) {
      parts.push([]);
      holds = record.holds.length;
    }
    parts.at(-1)?.push(record);
  }
  return parts;
}
