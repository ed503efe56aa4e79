import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as encoding from 'lib0/encoding';
import { concat, toHex, utf8 } from '../../../src/base/bytes.ts';
import { Cursor, varString, varUint } from '../../../src/doc/cursor.ts';
import { LedgerHash } from '../../../src/doc/ledger-sum.ts';
import { DOC_LIMITS, ROOT } from '../../../src/doc/schema.ts';
import { DOCUMENT_ROOT } from '../../../src/sync/update-guard.ts';
import { nodeCrypto } from '../../support/doc-lab.ts';

describe('numbers and texts in an envelope', () => {
  test.each([0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER])(
    '%d is as lib0 writes it',
    (value) => {
      const bytes = varUint(value);
      expect(bytes).toEqual(encoding.encode((encoder) => encoding.writeVarUint(encoder, value)));
      const cursor = new Cursor(bytes);
      expect([cursor.varUint(), cursor.rest().length]).toEqual([value, 0]);
    },
  );

  test.each([
    ['without an end', Uint8Array.of(128, 128)],
    ['longer than it has to be', Uint8Array.of(129, 0)],
    ['past what a number holds', Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 127)],
    ['of zeros without an end', new Uint8Array(300).fill(128)],
  ])('a number %s is none', (_, bytes) => {
    expect(new Cursor(bytes).varUint()).toBeUndefined();
  });

  test('a text is read within its bound, and only when it is UTF-8', () => {
    expect(new Cursor(varString('grüße')).varString(7)).toBe('grüße');
    expect(new Cursor(varString('grüße')).varString(6)).toBeUndefined();
    expect(new Cursor(Uint8Array.of(1, 255)).varString(9)).toBeUndefined();
    expect(new Cursor(Uint8Array.of(2, 97)).varString(9)).toBeUndefined();
  });
});

describe('the hash of what a ledger holds', () => {
  const { sha256 } = nodeCrypto;
  const hashes = Array.from({ length: 600 }, (_, n) => sha256(utf8(`record ${n}`)));

  /** The definition of docs/wire.md, written down a second time. */
  const defined = (members: readonly Uint8Array[]): string => {
    const sorted = members.map(toHex).toSorted();
    const buckets = Array.from({ length: 256 }, (_, first) => {
      const inside = sorted.filter((hex) => Number.parseInt(hex.slice(0, 2), 16) === first).join('');
      return createHash('sha256').update(inside, 'hex').digest();
    });
    return createHash('sha256')
      .update(concat(utf8('countersign ledger|1\n'), ...buckets))
      .digest('hex');
  };

  test('is that of its definition, whatever came and went before', () => {
    const one = new LedgerHash(sha256);
    expect(one.present()).toEqual({ count: 0, sum: defined([]) });
    for (const hash of hashes) one.add(hash);
    for (const hash of hashes.slice(0, 300).toReversed()) one.remove(hash);
    expect(one.present()).toEqual({ count: 300, sum: defined(hashes.slice(300)) });
    const other = new LedgerHash(sha256);
    for (const hash of hashes.slice(300).toReversed()) other.add(hash);
    expect(other.present()).toEqual(one.present());
  });

  test('counts a record that is there twice, and does not care for one that never was', () => {
    const [first, second] = hashes as [Uint8Array, Uint8Array]; // reason: there are more
    const set = new LedgerHash(sha256);
    set.add(first);
    const once = set.present();
    set.remove(second);
    expect(set.present()).toEqual(once);
    set.add(first);
    expect(set.present()).toEqual({ count: 2, sum: defined([first, first]) });
    set.remove(first);
    expect(set.present()).toEqual(once);
  });

  test('a copy goes its own way', () => {
    const set = new LedgerHash(sha256);
    for (const hash of hashes.slice(0, 40)) set.add(hash);
    const before = set.present();
    const copy = set.copy();
    copy.remove(hashes[3] ?? new Uint8Array(0));
    expect(set.present()).toEqual(before);
    expect(copy.present()).not.toEqual(before);
  });
});

test('the guard knows the types that the documents have', () => {
  expect(Object.fromEntries(Object.entries(DOCUMENT_ROOT).map(([kind, { name }]) => [kind, name]))).toEqual({
    ...ROOT,
  });
  expect(DOC_LIMITS.tileEntriesMax).toBeGreaterThan(0);
});
