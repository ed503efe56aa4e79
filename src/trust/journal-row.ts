import { utf8 } from '../base/bytes.ts';
import { canonicalBytes, canonicalWith } from '../base/canonical-json.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Sha256 } from '../crypto/ports.ts';
import type { EventBody, JournalEvent, JournalRow } from '../model/event.ts';
import { actionText } from '../model/digest.ts';
import { auditEntryOf, chainRoot } from './audit.ts';

/** Where a log ends. An empty one: `{ seq: 0, root: GENESIS_ROOT }`. */
export interface LogHead {
  readonly seq: number;
  readonly root: Uint8Array;
}

/**
 * The row that records this event after `head`. `{ seq: row.seq, root: row.root }` is the next head.
 *
 * `salt`: 16 unpredictable bytes as hexadecimal. Throws: `bad-input` for an event without a canonical form.
 */
export function makeRow(
  sha256: Sha256,
  head: LogHead,
  happened: { readonly body: EventBody; readonly atMs: EpochMs; readonly salt: string },
): JournalRow {
  const { body, atMs, salt } = happened;
  // Its own members first: one that follows a spread costs the engine twenty times as much.
  const event: JournalEvent = { v: 1, seq: head.seq + 1, atMs, salt, ...body };
  const eventBytes = bytesOf(event);
  const eventHash = sha256(eventBytes);
  const entry = auditEntryOf(event, eventHash, head.root);
  const audit = canonicalBytes(entry);
  return {
    seq: event.seq,
    atMs,
    kind: event.kind,
    actionSeq: entry.n ?? 0,
    attempt: entry.attempt ?? 0,
    event: eventBytes,
    audit,
    eventHash,
    root: chainRoot(sha256, head.root, audit),
  };
}

/** An action is encoded once, for the event that proposes it and for its own record. */
function bytesOf(event: JournalEvent): Uint8Array {
  if (event.kind !== 'proposed') return canonicalBytes(event);
  const { record, ...rest } = event;
  return utf8(canonicalWith(rest, 'record', actionText(record)));
}
