import { describe, expect, test } from 'vitest';
import { canonicalBytes, parseCanonical } from '../../../src/base/canonical-json.ts';
import { utf8 } from '../../../src/base/bytes.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { chainRoot, GENESIS_ROOT } from '../../../src/trust/audit.ts';
import { makeRow, type LogHead } from '../../../src/trust/journal-row.ts';
import { appendLeaf, EMPTY_RANGE, leafHash, rangeRoot } from '../../../src/trust/merkle.ts';
import { createLogVerifier, type LogEnd, type LogRow } from '../../../src/trust/verify-log.ts';
import { AT_MS, EVENTS } from '../../support/wire/values.ts';
import type { JournalRow } from '../../../src/model/event.ts';

const { sha256 } = nodeCrypto;
const SOUND = { ok: true, value: undefined };

/** A sound log; `seed` makes another one. */
function logOf(size: number, seed = '00'): readonly JournalRow[] {
  const bodies = Object.values(EVENTS);
  const rows: JournalRow[] = [];
  let head: LogHead = { seq: 0, root: GENESIS_ROOT };
  for (let i = 0; i < size; i += 1) {
    const body = bodies[i % bodies.length] ?? EVENTS.stopped;
    const row = makeRow(sha256, head, { body, atMs: AT_MS + i, salt: seed.repeat(16) });
    rows.push(row);
    head = row;
  }
  return rows;
}

function check(rows: readonly LogRow[], head: LogEnd, witnessed: readonly LogEnd[] = []): unknown {
  const verifier = createLogVerifier(sha256, witnessed);
  for (const row of rows) {
    const taken = verifier.take(row);
    if (!taken.ok) {
      expect(verifier.end(head)).toEqual(taken);
      return taken.error;
    }
  }
  const ended = verifier.end(head);
  return ended.ok ? ended : ended.error;
}

const endOf = (rows: readonly LogRow[], size = rows.length): LogEnd => ({
  size,
  root: rows[size - 1]?.root ?? GENESIS_ROOT,
});
const LOG = logOf(12);
const END = endOf(LOG);
const changed = (index: number, change: Partial<LogRow>): readonly LogRow[] =>
  LOG.map((row, i) => (i === index ? { ...row, ...change } : row));

test('[T21] a sound log is sound, and so is an empty one', () => {
  expect(check(LOG, END)).toEqual(SOUND);
  expect(check([], { size: 0, root: GENESIS_ROOT })).toEqual(SOUND);
});

describe('[T21] incomplete', () => {
  test('a row is missing in the middle', () => {
    expect(check(LOG.toSpliced(4, 1), END)).toMatchObject({ fault: 'incomplete', seq: 5 });
  });
  test('the first row is missing', () => {
    expect(check(LOG.slice(1), END)).toMatchObject({ fault: 'incomplete', seq: 1 });
  });
  test('the tail is cut, and the head knows it', () => {
    expect(check(LOG.slice(0, 7), END)).toMatchObject({ fault: 'incomplete', seq: 8 });
  });
  test('tail and head are cut, and somebody saw more', () => {
    const cut = LOG.slice(0, 7);
    expect(check(cut, endOf(cut), [endOf(LOG, 9)])).toMatchObject({ fault: 'incomplete', seq: 8 });
  });
});

describe('[T21] tampered', () => {
  const sixth = LOG[5] ?? LOG[0];
  const entry = parseCanonical(sixth?.audit ?? utf8('{}')) as Record<string, never>; // reason: an entry is an object
  const rewritten = (change: object): Uint8Array => canonicalBytes({ ...entry, ...change });
  /** The entry with a chain root that fits it, as somebody makes it who knows the format. */
  const chained = (audit: Uint8Array): Partial<LogRow> => ({
    audit,
    root: chainRoot(sha256, LOG[4]?.root ?? GENESIS_ROOT, audit),
  });

  test.each<[string, Partial<LogRow>]>([
    ['an event is another one', { event: canonicalBytes({ kind: 'stopped' }) }],
    ['an entry says something else', { audit: rewritten({ why: 'nothing happened' }) }],
    ['an entry is of another row', chained(rewritten({ seq: 9 }))],
    ['an entry follows something else', chained(rewritten({ prev: '0'.repeat(64) }))],
    ['an entry is damaged', chained(utf8('{'))],
    ['an entry is not canonical', chained(utf8(' {}'))],
    ['an entry is of an unknown kind', chained(rewritten({ kind: 'sealed' }))],
    ['a root is another one', { root: GENESIS_ROOT }],
  ])('%s', (_, change) => {
    expect(check(changed(5, change), END)).toMatchObject({ fault: 'tampered', seq: 6 });
  });

  test('an entry says something else, and its chain root fits: the next row does not follow', () => {
    expect(check(changed(5, chained(rewritten({ why: 'nothing happened' }))), END)).toMatchObject({
      fault: 'tampered',
      seq: 7,
    });
  });
  test('a row comes twice', () => {
    expect(check(LOG.toSpliced(3, 0, ...LOG.slice(2, 3)), END)).toMatchObject({ fault: 'tampered', seq: 3 });
  });
  test('a row of another log, sound in itself, is put in', () => {
    expect(check(LOG.toSpliced(5, 1, ...logOf(6, '01').slice(5)), END)).toMatchObject({ fault: 'tampered', seq: 6 });
  });
  test('the log goes on past its head', () => {
    expect(check(LOG, endOf(LOG, 9))).toMatchObject({ fault: 'tampered', seq: 10 });
  });
  test('the head has another root', () => {
    expect(check(LOG, { ...END, root: GENESIS_ROOT })).toMatchObject({ fault: 'tampered', seq: 12 });
  });
  test('the head has another tree', () => {
    let range = EMPTY_RANGE;
    for (const row of LOG) range = appendLeaf(sha256, range, leafHash(sha256, row.audit));
    expect(check(LOG, { ...END, tree: rangeRoot(sha256, range) })).toEqual(SOUND);
    expect(check(LOG, { ...END, tree: GENESIS_ROOT })).toMatchObject({ fault: 'tampered', seq: 12 });
  });
});

describe('[T9] fork', () => {
  const other = logOf(12, '01');

  test('a whole, sound log that is not the one witnessed', () => {
    expect(check(other, endOf(other))).toEqual(SOUND);
    expect(check(other, endOf(other), [endOf(LOG, 9), endOf(LOG, 4)])).toMatchObject({ fault: 'fork', seq: 4 });
  });

  test('what others saw of this log, in any order, is no fork', () => {
    const witnessed = [endOf(LOG, 12), endOf(LOG, 1), endOf(LOG, 7), endOf(LOG, 7), { size: 0, root: GENESIS_ROOT }];
    expect(check(LOG, END, witnessed)).toEqual(SOUND);
  });

  test('a witness of an empty log that was not empty', () => {
    expect(check([], { size: 0, root: GENESIS_ROOT }, [{ size: 0, root: END.root }])).toMatchObject({ fault: 'fork' });
  });
});
