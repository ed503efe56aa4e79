import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/canonical-json.ts';
import type { Result } from '../../../src/base/result.ts';
import { nobleSigner } from '../../../src/crypto/noble.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { workspaceId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { openCheckpoint, parseCheckpoint, signCheckpoint } from '../../../src/trust/checkpoint.ts';
import { WHY_BYTES_MAX } from '../../../src/trust/fields.ts';
import { HEAD_LIMITS, openHead, parseHead, signHead } from '../../../src/access/head.ts';
import { openHeartbeat, parseHeartbeat, seenOf, signHeartbeat } from '../../../src/trust/heartbeat.ts';
import { openReceipt, parseReceipt, signReceipt } from '../../../src/trust/receipt.ts';
import { signValue } from '../../../src/access/signed.ts';
import { bytesOf } from '../../support/bytes-of.ts';
import {
  CHECKPOINT,
  DEVICE,
  digestText,
  FIRST,
  HEAD,
  HEARTBEAT,
  HOME,
  HOME_SEED,
  RECEIPT,
  WORKSPACE,
} from '../../support/wire/values.ts';

const signer = nobleSigner(bytesOf(HOME_SEED));
const { verify } = nodeCrypto;
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json; // reason: JSON.parse makes JSON
const place = { home: HOME, workspace: WORKSPACE };

interface Format {
  readonly name: string;
  readonly value: object;
  readonly parse: (value: Json) => Result<unknown>;
  readonly sign: () => SignedText;
  readonly open: (signed: SignedText) => Result<unknown>;
}

const FORMATS: readonly Format[] = [
  {
    name: 'receipt',
    value: RECEIPT,
    parse: parseReceipt,
    sign: () => signReceipt(signer, RECEIPT),
    open: (signed) => openReceipt(verify, signer.publicKey, place, signed),
  },
  {
    name: 'heartbeat',
    value: HEARTBEAT,
    parse: parseHeartbeat,
    sign: () => signHeartbeat(signer, HEARTBEAT),
    open: (signed) => openHeartbeat(verify, signer.publicKey, place, signed),
  },
  {
    name: 'checkpoint',
    value: CHECKPOINT,
    parse: parseCheckpoint,
    sign: () => signCheckpoint(signer, CHECKPOINT),
    open: (signed) => openCheckpoint(verify, signer.publicKey, place, signed),
  },
  {
    name: 'head',
    value: HEAD,
    parse: parseHead,
    sign: () => signHead(signer, HEAD),
    open: (signed) => openHead(verify, signer.publicKey, { home: HOME, number: 0 }, signed),
  },
];

describe.each(FORMATS)('a $name', ({ name, value, parse, sign, open }) => {
  test('is read as it was made, and opened as it was signed', () => {
    expect(parse(plain(value))).toEqual({ ok: true, value });
    expect(open(sign())).toEqual({ ok: true, value });
  });

  test.each(Object.keys(value).filter((key) => key !== 'log'))('is refused without %s', (key) => {
    expect(parse(plain({ ...value, [key]: undefined }))).toEqual({ ok: false, error: `${key} is missing.` });
  });

  test.each(Object.keys(value))('is refused with another kind of %s', (key) => {
    expect(parse(plain({ ...value, [key]: { other: 1 } })).ok).toBe(false);
  });

  test('is refused with an unknown member, and as something else than an object', () => {
    expect(parse(plain({ ...value, more: 1 }))).toEqual({ ok: false, error: 'more is not known.' });
    for (const other of [null, [], 'x', 1]) expect(parse(other).ok).toBe(false);
  });

  test('[T16] is refused when it names another home than it was signed for', () => {
    const type = name as 'receipt'; // reason: the names above are types of signatures
    const stray = { ...value, home: `h-${'7'.repeat(26)}` };
    const result = open(
      signValue(signer, { type, ...(name === 'head' ? { home: HOME, workspace: null } : place) }, stray),
    );
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('another home') });
  });
});

test('[T16] a heartbeat that names another workspace than it was signed for is refused', () => {
  const stray = { ...HEARTBEAT, workspace: workspaceId(new Uint8Array(16)) };
  const signed = signValue(signer, { type: 'heartbeat', ...place }, stray);
  expect(openHeartbeat(verify, signer.publicKey, place, signed).ok).toBe(false);
});

test('what a decision saw is the heartbeat without its place', () => {
  const { counter, atMs, size, root } = HEARTBEAT;
  expect(seenOf(HEARTBEAT)).toEqual({ counter, atMs, size, root });
});

describe('a receipt', () => {
  test('may refuse as a whole, with no results and no entry', () => {
    const refused = { ...RECEIPT, results: [], entry: 0, refused: 'This device is not known here.' };
    expect(parseReceipt(plain(refused))).toEqual({ ok: true, value: refused });
  });

  test('has results of three kinds and reasons of 1 KiB', () => {
    const withResult = (result: unknown): unknown => ({ ...RECEIPT, results: [{ id: FIRST, result, why: null }] });
    for (const result of ['received', 'refused', 'late']) expect(parseReceipt(plain(withResult(result))).ok).toBe(true);
    expect(parseReceipt(plain(withResult('applied'))).ok).toBe(false);
    expect(parseReceipt(plain({ ...RECEIPT, refused: 'x'.repeat(WHY_BYTES_MAX) })).ok).toBe(true);
    expect(parseReceipt(plain({ ...RECEIPT, refused: 'x'.repeat(WHY_BYTES_MAX + 1) })).ok).toBe(false);
  });

  test('[CP-3] the longest one can be signed', () => {
    const results = Array.from({ length: 512 }, () => ({
      id: FIRST,
      result: 'refused' as const,
      why: '\u0001'.repeat(300),
    }));
    expect(() => signReceipt(signer, { ...RECEIPT, results })).not.toThrow();
  });
});

describe('a head', () => {
  const [entry] = HEAD.roster;
  const [first] = HEAD.workspaces;

  test('[T9] older than one that was seen is refused; the same one is not', () => {
    const signed = signHead(signer, HEAD);
    expect(openHead(verify, signer.publicKey, { home: HOME, number: HEAD.number }, signed).ok).toBe(true);
    expect(openHead(verify, signer.publicKey, { home: HOME, number: HEAD.number + 1 }, signed)).toEqual({
      ok: false,
      error: 'The head is number 5; number 6 has been seen.',
    });
  });

  test.each<[string, object]>([
    ['one device twice', { roster: [entry, entry] }],
    ['one workspace twice', { workspaces: [first, first] }],
    ['a right that is none', { roster: [{ ...entry, right: 'owner' }] }],
    ['a key of 31 bytes', { roster: [{ ...entry, publicKey: 'c'.repeat(62) }] }],
    ['boxes, which version 1 does not know', { workspaces: [{ ...first, boxes: ['x'] }] }],
    ['a room without a name', { workspaces: [{ ...first, room: '' }] }],
    ['half a heartbeat', { workspaces: [{ ...first, heartbeat: { counter: 1, size: 1 } }] }],
    ['half a checkpoint', { workspaces: [{ ...first, checkpoint: { size: 1, root: digestText('1') } }] }],
  ])('is refused with %s', (_, change) => {
    expect(parseHead(plain({ ...HEAD, ...change })).ok).toBe(false);
  });

  test('names a room, a tile and a manifest once something is published', () => {
    const published = { ...first, room: '1.1', tile: '1.1', manifestRoot: digestText('1'), checkpoint: null };
    expect(parseHead(plain({ ...HEAD, workspaces: [published] })).ok).toBe(true);
  });

  test('[CP-3] holds as many devices as it may, each with a box, and can be signed', () => {
    const roster = Array.from({ length: HEAD_LIMITS.rosterMax }, (_, i) => ({
      device: DEVICE.replace(
        /^d-cc/,
        `d-${'abcdefghijklmnop'.charAt(i >> 4)}${'abcdefghijklmnop'.charAt(i & 15)}`,
      ) as typeof DEVICE, // reason: stays 26 letters
      publicKey: 'c'.repeat(64),
      boxKey: 'd'.repeat(64),
      right: 'view' as const,
      addedEntry: 1,
    }));
    expect(() => signHead(signer, { ...HEAD, roster })).not.toThrow();
    expect(() =>
      signHead(signer, { ...HEAD, roster: roster.slice(1).concat(roster.slice(0, 1), roster.slice(0, 1)) }),
    ).toThrow('256');
  });
});
