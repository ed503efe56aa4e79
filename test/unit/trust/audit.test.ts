import { describe, expect, test } from 'vitest';
import { concat, textOf, toHex, utf8 } from '../../../src/base/bytes.ts';
import { canonicalBytes, parseCanonical } from '../../../src/base/canonical-json.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import type { EventBody, EventKind, JournalRow } from '../../../src/model/event.ts';
import { digestFrom } from '../../../src/model/digest.ts';
import { auditEntryOf, chainRoot, GENESIS_ROOT, parseAuditEntry, type AuditEntry } from '../../../src/trust/audit.ts';
import { EVENT_KINDS } from '../../../src/trust/audit-sayings.ts';
import { clipWhy, WHY_BYTES_MAX } from '../../../src/trust/fields.ts';
import { makeRow, type LogHead } from '../../../src/trust/journal-row.ts';
import { AT_MS, DEVICE, digestText, EVENTS, FIRST, SECOND, SESSION } from '../../support/wire/values.ts';

const { sha256 } = nodeCrypto;
const START: LogHead = { seq: 0, root: GENESIS_ROOT };
const SALT = '00'.repeat(16);
const rowOf = (body: EventBody, head = START): JournalRow => makeRow(sha256, head, { body, atMs: AT_MS, salt: SALT });

function entryOf(body: EventBody): AuditEntry {
  const result = parseAuditEntry(parseCanonical(rowOf(body).audit));
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

test('every kind of event has an entry, and no other', () => {
  expect(EVENT_KINDS.toSorted()).toEqual(Object.keys(EVENTS).toSorted());
});

describe('[LC-4] each event has one audit entry', () => {
  test.each(EVENT_KINDS)('%s', (kind) => {
    const body: EventBody = EVENTS[kind];
    const entry = entryOf(body);
    const ofAction = 'action' in body;
    expect(entry).toMatchObject({ v: 1, seq: 1, atMs: AT_MS, kind, prev: '0'.repeat(64) });
    expect(entry.action).toBe(ofAction ? FIRST : null);
    expect(entry.n).toBe(ofAction ? 12 : null);
  });
});

describe('who, why, which attempt', () => {
  const device = { type: 'device', device: DEVICE, n: 1 };
  const authority = { type: 'authority' };
  test.each<[EventKind, Partial<AuditEntry>]>([
    ['proposed', { by: { type: 'session', session: SESSION }, why: null, digest: digestText('3') }],
    ['approved', { by: { type: 'device', device: DEVICE, n: 1 }, why: null }],
    ['retried', { by: { type: 'authority' }, why: 'rule r1' }],
    ['attention-raised', { why: 'conflict' }],
    ['reissued', { why: `reissued, was ${digestText('5')}`, digest: digestText('3') }],
    ['held', { by: device as AuditEntry['by'], why: `with ${SECOND}` }], // reason: the literal above
    ['rejected', { by: device as AuditEntry['by'], why: `cascade of ${SECOND}: not like this` }], // reason: the same
    ['intent-recorded', { by: authority as AuditEntry['by'], attempt: 1 }], // reason: the same
    ['revert-begun', { attempt: 2 }],
    ['applied', { attempt: 1, why: 'surface' }],
    ['failed', { attempt: null, why: 'The disk is full.' }],
    ['contradicted', { attempt: 1, why: 'applied' }],
    ['decision-taken', { by: device as AuditEntry['by'], digest: digestText('6'), action: null }], // reason: the same
    ['decision-refused', { by: null, why: 'Unknown device. (3 times)' }],
    ['checkpointed', { digest: digestText('b'), why: 'size 10' }],
  ])('%s', (kind, expected) => {
    expect(entryOf(EVENTS[kind])).toMatchObject(expected);
  });

  test('a reject by a person without a word, and one with', () => {
    const rejected = { ...EVENTS.rejected, because: 'person', felledBy: null } as const;
    expect(entryOf({ ...rejected, reason: null }).why).toBe('person');
    expect(entryOf({ ...rejected, reason: 'No.' }).why).toBe('person: No.');
  });
});

describe('a row', () => {
  test('[T21] binds event, entry and everything before', () => {
    const first = rowOf(EVENTS.started);
    const second = rowOf(EVENTS.stopped, first);
    expect(toHex(first.eventHash)).toBe(toHex(sha256(first.event)));
    expect(second.seq).toBe(2);
    expect(parseCanonical(second.audit)).toMatchObject({ prev: toHex(first.root), event: toHex(second.eventHash) });
    const bound = concat(utf8('countersign audit|1\n'), first.root, second.audit);
    expect(toHex(second.root)).toBe(toHex(sha256(bound)));
    expect(toHex(chainRoot(sha256, first.root, second.audit))).toBe(toHex(second.root));
  });

  test('[T20] a salt keeps equal events apart', () => {
    const other = makeRow(sha256, START, { body: EVENTS.stopped, atMs: AT_MS, salt: '01'.repeat(16) });
    expect(toHex(other.eventHash)).not.toBe(toHex(rowOf(EVENTS.stopped).eventHash));
  });

  test('carries the columns the journal is searched by', () => {
    expect(rowOf(EVENTS['intent-recorded'])).toMatchObject({ kind: 'intent-recorded', actionSeq: 12, attempt: 1 });
    expect(rowOf(EVENTS.opened)).toMatchObject({ kind: 'opened', actionSeq: 0, attempt: 0 });
  });

  test('its entry can be made again from the event alone', () => {
    const row = rowOf(EVENTS.applied);
    const event = { ...EVENTS.applied, v: 1 as const, seq: 1, atMs: AT_MS, salt: SALT };
    expect(textOf(canonicalBytes(event))).toBe(textOf(row.event));
    expect(canonicalBytes(auditEntryOf(event, row.eventHash, GENESIS_ROOT))).toEqual(row.audit);
    expect(digestFrom(row.eventHash)).toHaveLength(64);
  });
});

describe('[CP-3] a reason in the log is at most 1 KiB', () => {
  test('a longer one is cut between code points and marked', () => {
    for (const long of ['x'.repeat(5000), '😀'.repeat(1000), 'ä'.repeat(513)]) {
      const clipped = clipWhy(long);
      expect(utf8(clipped).length).toBeLessThanOrEqual(WHY_BYTES_MAX);
      expect(utf8(clipped).length).toBeGreaterThan(WHY_BYTES_MAX - 4);
      expect(clipped.isWellFormed()).toBe(true);
      expect(long.startsWith(clipped.slice(0, -1))).toBe(true);
      expect(clipped.endsWith('…')).toBe(true);
    }
    expect(entryOf({ ...EVENTS.failed, why: 'x'.repeat(5000) }).why).toBe(`${'x'.repeat(WHY_BYTES_MAX - 3)}…`);
  });

  test('one that fits is kept as it is', () => {
    expect(clipWhy('ä'.repeat(512))).toBe('ä'.repeat(512));
  });
});
