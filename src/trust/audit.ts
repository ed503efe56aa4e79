import type { Json } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import { concat, utf8 } from '../base/bytes.ts';
import type { Result } from '../base/result.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { Actor } from '../model/action.ts';
import type { EventKind, JournalEvent } from '../model/event.ts';
import { digestFrom } from '../model/digest.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import { device, digest, epochMs, ordinal, version1 } from '../access/fields.ts';
import { action, clipWhy, session, why } from './fields.ts';
import { EVENT_KINDS, sayingOf } from './audit-sayings.ts';
import { jsonObject, nullable, oneOf, read, record, type Reader } from '../base/shape.ts';

/**
 * What every device may know of one journal event: that it happened, to what, by whom and why. Never an argument, an
 * overlay value or contents; the event's salted hash binds it to them.
 */
export interface AuditEntry {
  readonly v: 1;
  readonly seq: number;
  readonly atMs: EpochMs;
  readonly kind: EventKind;
  /** Chain root before this entry. */
  readonly prev: Digest;
  /** SHA-256 of the event's canonical bytes. */
  readonly event: Digest;
  readonly action: ActionId | null;
  /** `#12` of the action. */
  readonly n: number | null;
  /** Digest of the action's content; of the decision for `decision-taken`; Merkle root for `checkpointed`. */
  readonly digest: Digest | null;
  /** Where the event itself names one. */
  readonly attempt: number | null;
  readonly by: Actor | null;
  readonly why: string | null;
}

const CHAIN_PREFIX = utf8('countersign audit|1\n');

/** The chain root of an empty log. */
export const GENESIS_ROOT: Uint8Array = new Uint8Array(32);

/** The chain root after an entry: it fixes every byte of every entry up to there. */
export function chainRoot(sha256: Sha256, prevRoot: Uint8Array, auditBytes: Uint8Array): Uint8Array {
  return sha256(concat(CHAIN_PREFIX, prevRoot, auditBytes));
}

/** The entry of an event. A function of its three arguments, so that anyone with the journal can make it again. */
export function auditEntryOf(event: JournalEvent, eventHash: Uint8Array, prevRoot: Uint8Array): AuditEntry {
  const said = sayingOf(event);
  return {
    v: 1,
    seq: event.seq,
    atMs: event.atMs,
    kind: event.kind,
    prev: digestFrom(prevRoot),
    event: digestFrom(eventHash),
    action: 'action' in event ? event.action : null,
    n: 'n' in event ? event.n : null,
    digest: 'digest' in event ? event.digest : (said.digest ?? null),
    attempt: said.attempt ?? null,
    by: said.by,
    why: said.why === null ? null : clipWhy(said.why),
  };
}

const byDevice = record({ type: oneOf('device'), device, n: ordinal });
const bySession = record({ type: oneOf('session'), session });
const byAuthority = record({ type: oneOf('authority') });
const actor: Reader<Actor> = (value, at) => {
  const { type } = jsonObject(value, at);
  if (type === 'device') return byDevice(value, at);
  return type === 'session' ? bySession(value, at) : byAuthority(value, at);
};

const entry: Reader<AuditEntry> = record({
  v: version1,
  seq: ordinal,
  atMs: epochMs,
  kind: oneOf(...EVENT_KINDS),
  prev: digest,
  event: digest,
  action: nullable(action),
  n: nullable(ordinal),
  digest: nullable(digest),
  attempt: nullable(ordinal),
  by: nullable(actor),
  why: nullable(why),
});

export function parseAuditEntry(value: Json): Result<AuditEntry> {
  return read(entry, value);
}
