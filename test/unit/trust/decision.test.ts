import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/canonical-json.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { nobleSigner } from '../../../src/crypto/noble.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { BODY_KINDS, DECISION_LIMITS, ITEM_KINDS, type Decision } from '../../../src/model/decision.ts';
import { actionId } from '../../../src/model/ids.ts';
import {
  DECISION_TEXT_LIMITS,
  decisionHash,
  openDecision,
  parseDecision,
  signDecision,
} from '../../../src/trust/decision.ts';
import { bytesOf } from '../../support/bytes-of.ts';
import { DECISIONS, DEVICE_SEED, digestText, FIRST, HOME, SECOND, WORKSPACE } from '../../support/wire/values.ts';

const APPROVE = DECISIONS.approve;
const ITEM = { id: FIRST, digest: digestText('3') };
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json; // reason: JSON.parse makes JSON
const errorOf = (value: unknown): string => {
  const result = parseDecision(plain(value));
  return result.ok ? 'accepted' : result.error;
};
const made = (change: Record<string, unknown>): unknown => ({ ...APPROVE, body: undefined, ...change });
const manyItems = (count: number): unknown[] =>
  Array.from({ length: count }, (_, i) => ({
    id: actionId(Uint8Array.from({ length: 16 }, (__, at) => (at === 0 ? i & 255 : at === 1 ? i >> 8 : 1))),
    digest: digestText('1'),
  }));

test.each(Object.entries(DECISIONS))('reads %s as it was made', (_, value) => {
  expect(parseDecision(plain(value))).toEqual({ ok: true, value });
});

describe('[DC-1] every member must be there, of its kind, and known', () => {
  test.each(Object.keys(DECISIONS.release))('without %s', (key) => {
    expect(errorOf({ ...DECISIONS.release, [key]: undefined })).toMatch(new RegExp(`^${key} is missing`));
  });

  test.each<[string, Record<string, unknown>]>([
    ['another version', { v: 2 }],
    ['an unknown member', { urgent: true }],
    ['an unknown member of an item', { items: [{ ...ITEM, force: true }] }],
    ['an unknown member of seen', { seen: { ...APPROVE.seen, trust: 1 } }],
    ['another kind of home id', { home: WORKSPACE }],
    ['a workspace that is null', { workspace: null }],
    ['a device id that is too long', { device: `${APPROVE.device}a` }],
    ['an upper-case digest', { items: [{ id: FIRST, digest: 'A'.repeat(64) }] }],
    ['n of zero', { n: 0 }],
    ['n that is not whole', { n: 1.5 }],
    ['n past what JSON carries exactly', { n: 2 ** 53, prev: digestText('1') }],
    ['n as text', { n: '1' }],
    ['a first decision with prev', { prev: digestText('1') }],
    ['a later decision without prev', { n: 2 }],
    ['a kind that is none', { kind: 'approve-all' }],
    ['a kind from the prototype', { kind: 'toString' }],
    ['items that are no list', { items: { 0: ITEM, length: 1 } }],
    ['one action twice', { items: [ITEM, { ...ITEM, digest: digestText('4') }] }],
    ['attention zero', { items: [{ ...ITEM, attention: 0 }] }],
    ['attention null', { items: [{ ...ITEM, attention: null }] }],
    ['no items', { items: [] }],
    ['holds lifted by an approve', { holdsLifted: [digestText('1')] }],
    ['a seen without its root', { seen: { counter: 1, atMs: 1, size: 1 } }],
    ['a negative time', { seen: { ...APPROVE.seen, atMs: -1 } }],
    ['a batch past its end', { batch: { id: 'b', index: 2, of: 2 } }],
    ['a batch without a name', { batch: { id: '', index: 0, of: 1 } }],
    ['a body that is a list', { body: [] }],
    ['a note that is no text', { note: 1 }],
    ['via that is text', { via: 'bash' }],
  ])('%s', (_, change) => {
    expect(errorOf({ ...APPROVE, ...change })).not.toBe('accepted');
  });

  test.each<Json>([null, true, 1, 'approve', [], [plain(APPROVE)]])('what is no object: %j', (value) => {
    expect(parseDecision(value).ok).toBe(false);
  });
});

describe('each kind has its own body', () => {
  test.each<[string, unknown]>([
    ['approve', { mode: 'all-or-none' }],
    ['approve', { mode: 'rest', unseenLines: 3 }],
    ['reject', undefined],
    ['reject', { because: 'user-edited' }],
    ['change', { say: 'Shorter.', remarks: [] }],
    ['change', { say: '', remarks: [{ path: 'a', line: 1, text: 'why?' }] }],
    ['edit', { arguments: { path: 'a', deep: [{ b: null }] } }],
    ['hold', undefined],
    ['release', undefined],
    ['retract', undefined],
    ['reissue', { mode: 'merge' }],
    ['reissue', { mode: 'theirs' }],
    ['revert', undefined],
    ['revert', { planHash: digestText('1') }],
    ['retry', undefined],
    ['retry', { mayHappenTwice: true }],
    ['settle', { answer: 'happened', attempt: 1 }],
    ['settle', { answer: 'did-not', attempt: 2 }],
    ['reconsider', undefined],
    ['anyway', undefined],
  ])('%s takes %j', (kind, body) => {
    expect(errorOf(made({ kind, items: [ITEM], body }))).toBe('accepted');
  });

  test.each<[string, unknown]>([
    ['approve', undefined],
    ['approve', {}],
    ['approve', { mode: 'all' }],
    ['approve', { mode: 'rest', unseenLines: -1 }],
    ['approve', { mode: 'rest', all: true }],
    ['reject', { because: 'person' }],
    ['reject', {}],
    ['change', undefined],
    ['change', { say: '', remarks: [] }],
    ['change', { say: 'x' }],
    ['change', { say: 'x', remarks: [{ path: 'a', line: 0, text: 'y' }] }],
    ['change', { say: 'x', remarks: [{ path: '', line: 1, text: 'y' }] }],
    ['edit', undefined],
    ['edit', { arguments: [] }],
    ['hold', {}],
    ['release', { all: true }],
    ['retract', {}],
    ['reissue', undefined],
    ['reissue', { mode: 'mine' }],
    ['revert', { planHash: 'x' }],
    ['retry', { mayHappenTwice: 'yes' }],
    ['settle', undefined],
    ['settle', { answer: 'maybe', attempt: 1 }],
    ['settle', { answer: 'happened' }],
    ['settle', { answer: 'happened', attempt: 0 }],
    ['reconsider', {}],
    ['anyway', {}],
  ])('%s refuses %j', (kind, body) => {
    expect(errorOf(made({ kind, items: [ITEM], body }))).toMatch(/^body/);
  });

  test('an edit is of one action', () => {
    const items = [ITEM, { ...ITEM, id: SECOND }];
    expect(errorOf(made({ kind: 'edit', items, body: { arguments: {} } }))).toMatch(/^items/);
  });

  const RULE = { kind: 'file.write', toolDigest: '1'.repeat(64), where: [], text: 'Always.' };
  const TEST = { is: 'path', field: '/effect/path', glob: 'src/**' };

  test.each(BODY_KINDS)('%s is over a body, never over items', (kind) => {
    expect(errorOf(made({ kind, items: [ITEM], body: {} }))).toMatch(/^items/);
  });

  test.each<[string, unknown]>([
    ['rule.add', RULE],
    ['rule.add', { ...RULE, where: [TEST], forMs: 1, usesMax: 1 }],
    ['rule.remove', { rule: `r-${'a'.repeat(26)}` }],
    ['mode', { mode: 'act' }],
    ['mode', { mode: 'plan' }],
    ['pause', undefined],
    ['pause', {}],
    ['resume', { session: `s-${'a'.repeat(26)}` }],
    ['adopt', { anything: [1] }],
    ['adopt', undefined],
  ])('%s without items takes %j', (kind, body) => {
    expect(errorOf(made({ kind, items: [], body }))).toBe('accepted');
  });

  test.each<[string, unknown]>([
    ['rule.add', undefined],
    ['rule.add', { ...RULE, kind: '' }],
    ['rule.add', { ...RULE, prefix: 'npm' }],
    ['rule.add', { ...RULE, where: [{ ...TEST, is: 'prefix' }] }],
    ['rule.add', { ...RULE, where: [TEST, TEST] }],
    ['rule.add', { ...RULE, forMs: 0 }],
    ['rule.remove', undefined],
    ['rule.remove', { rule: 'all' }],
    ['mode', undefined],
    ['mode', { mode: 'ask' }],
    ['pause', { session: null }],
    ['pause', { anything: [1] }],
    ['resume', { session: 'all' }],
    ['adopt', 'yes'],
  ])('%s without items refuses %j', (kind, body) => {
    expect(errorOf(made({ kind, items: [], body }))).toMatch(/^body/);
  });

  test('every kind over items needs items', () => {
    for (const kind of ITEM_KINDS) expect(errorOf(made({ kind, items: [] }))).toMatch(/^items/);
  });
});

describe('[CP-3] every limit holds, and the value at it passes', () => {
  const byBytes = (bytes: number): string => `${'ä'.repeat(Math.floor(bytes / 2))}${bytes % 2 === 1 ? 'x' : ''}`;
  const { itemsMax, textBytesMax } = DECISION_LIMITS;
  const { viaMax, viaBytesMax, remarksMax, pathBytesMax, batchIdBytesMax } = DECISION_TEXT_LIMITS;
  const remarks = (count: number, path = 'a'): unknown =>
    made({
      kind: 'change',
      body: { say: '', remarks: Array.from({ length: count }, () => ({ path, line: 1, text: 'x' })) },
    });

  test.each<[string, number, (size: number) => unknown]>([
    ['items', itemsMax, (size) => made({ kind: 'reject', items: manyItems(size) })],
    ['bytes of a note', textBytesMax, (size) => ({ ...APPROVE, note: byBytes(size) })],
    [
      'bytes of what to do instead',
      textBytesMax,
      (size) => made({ kind: 'change', body: { say: byBytes(size), remarks: [] } }),
    ],
    ['remarks', remarksMax, (size) => remarks(size)],
    ['bytes of a path', pathBytesMax, (size) => remarks(1, byBytes(size))],
    ['programs in via', viaMax, (size) => ({ ...APPROVE, via: Array.from({ length: size }, () => 'sh') })],
    ['bytes of a program', viaBytesMax, (size) => ({ ...APPROVE, via: [byBytes(size)] })],
    ['bytes of a batch id', batchIdBytesMax, (size) => ({ ...APPROVE, batch: { id: byBytes(size), index: 0, of: 1 } })],
  ])('%s', (_, max, build) => {
    expect(errorOf(build(max))).toBe('accepted');
    expect(errorOf(build(max + 1))).toContain(`${max} `);
  });

  test('bytes of the whole', () => {
    const filler = (bytes: number): unknown =>
      made({ kind: 'edit', items: [ITEM], body: { arguments: { x: 'x'.repeat(bytes) } } });
    const bare = JSON.stringify(plain(filler(0))).length;
    expect(errorOf(filler(DECISION_LIMITS.bytesMax - bare))).toBe('accepted');
    expect(errorOf(filler(DECISION_LIMITS.bytesMax - bare + 1))).toContain('65536 bytes');
  });
});

describe('signing', () => {
  const signer = nobleSigner(bytesOf(DEVICE_SEED));
  const place = { home: HOME, workspace: WORKSPACE };

  test('a decision is opened by its key, for its place', () => {
    const signed = signDecision(signer, APPROVE);
    expect(openDecision(nodeCrypto.verify, signer.publicKey, place, signed)).toEqual({ ok: true, value: APPROVE });
  });

  test('what nobody would read is not signed', () => {
    const twice: Decision = { ...APPROVE, items: [ITEM, ITEM] };
    expect(() => signDecision(signer, twice)).toThrow(CountersignError);
    expect(() => signDecision(signer, { ...APPROVE, note: 'x'.repeat(70_000) })).toThrow('65536 bytes');
  });

  test('[DC-2] the hash is that of the payload as signed, which prev names', () => {
    const { payload } = signDecision(signer, APPROVE);
    expect(decisionHash(nodeCrypto.sha256, payload)).not.toBe(decisionHash(nodeCrypto.sha256, `${payload} `));
    expect(decisionHash(nodeCrypto.sha256, 'abc')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
