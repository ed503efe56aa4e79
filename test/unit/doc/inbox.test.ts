import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import {
  InboxAuthor,
  inboxKey,
  InboxReader,
  openInboxEntry,
  parseInboxKey,
  sealInboxEntry,
} from '../../../src/doc/inbox.ts';
import { keyRing } from '../../../src/doc/keys.ts';
import { ROOT } from '../../../src/doc/schema.ts';
import { workspaceId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { DOCUMENT_ROOT, UpdateGuard } from '../../../src/sync/update-guard.ts';
import { INBOX_NAME, KEYS, nodeCrypto, seededRandom, WORKSPACE } from '../../support/doc-lab.ts';

const { seal } = nodeCrypto;
const random = seededRandom('inbox');
const OTHER = workspaceId(new Uint8Array(16).fill(6));
const signedOf = (n: number): SignedText => ({ payload: `{"n":${n}}`, signature: 'ab'.repeat(64) });

function inbox(): { doc: Y.Doc; author: InboxAuthor; copy: Y.Doc; reader: InboxReader } {
  const doc = new Y.Doc();
  const copy = new Y.Doc();
  const guard = new UpdateGuard(copy, { bytesMax: 1024 * 1024, root: DOCUMENT_ROOT.inbox });
  doc.on('update', (update: Uint8Array) => expect(guard.take(update).ok).toBe(true));
  return {
    doc,
    author: new InboxAuthor(doc, { seal, random, name: INBOX_NAME }),
    copy,
    reader: new InboxReader(copy, { seal, name: INBOX_NAME }),
  };
}

describe('an inbox', () => {
  test('is read in the order of its numbers, workspace by workspace', () => {
    const { author, reader } = inbox();
    for (const n of [1, 2, 11, 3]) author.put(KEYS, { workspace: WORKSPACE, n }, signedOf(n));
    author.put(KEYS, { workspace: OTHER, n: 1 }, signedOf(100));
    expect(reader.numbers(WORKSPACE)).toEqual([1, 2, 3, 11]);
    expect(reader.numbers(OTHER)).toEqual([1]);
    expect(reader.open(KEYS, { workspace: WORKSPACE, n: 11 })).toEqual({ ok: true, value: signedOf(11) });
    expect(reader.open(KEYS, { workspace: WORKSPACE, n: 4 })).toBeUndefined();
    expect(reader.malformed).toBe(0);
  });

  test('tells in which workspaces something came or went, until it is told to stop', () => {
    const { author, reader } = inbox();
    const seen: string[][] = [];
    const end = reader.onChange((changed) => seen.push([...changed]));
    author.put(KEYS, { workspace: WORKSPACE, n: 1 }, signedOf(1));
    author.prune(WORKSPACE, 1);
    end();
    author.put(KEYS, { workspace: OTHER, n: 1 }, signedOf(1));
    expect(seen).toEqual([[WORKSPACE], [WORKSPACE]]);
  });

  test('what was put twice is there once; what somebody put in its place is put right', () => {
    const { author, doc, reader } = inbox();
    const at = { workspace: WORKSPACE, n: 1 };
    author.put(KEYS, at, signedOf(1));
    const state = Y.encodeStateVector(doc);
    author.put(KEYS, at, signedOf(1));
    expect(Y.encodeStateVector(doc)).toEqual(state);
    doc.getMap(ROOT.inbox).set(inboxKey(at), new Uint8Array(40));
    author.put(KEYS, at, signedOf(1));
    expect(reader.open(KEYS, at)).toEqual({ ok: true, value: signedOf(1) });
  });

  test('prunes up to a number in one workspace, and nothing else', () => {
    const { author, doc, reader } = inbox();
    for (const n of [1, 2, 3]) author.put(KEYS, { workspace: WORKSPACE, n }, signedOf(n));
    author.put(KEYS, { workspace: OTHER, n: 1 }, signedOf(1));
    let updates = 0;
    doc.on('update', () => (updates += 1));
    author.prune(WORKSPACE, 2);
    author.prune(WORKSPACE, 2);
    expect(updates).toBe(1);
    expect(reader.numbers(WORKSPACE)).toEqual([3]);
    expect(reader.numbers(OTHER)).toEqual([1]);
  });

  test('counts what is no decision and never throws over it', () => {
    const { reader } = inbox();
    const doc = new Y.Doc();
    const hostile = new InboxReader(doc, { seal, name: INBOX_NAME });
    const map = doc.getMap<unknown>(ROOT.inbox);
    const at = { workspace: WORKSPACE, n: 1 };
    for (const key of [
      '__proto__',
      '',
      `${WORKSPACE}:0`,
      `${WORKSPACE}:01`,
      `${WORKSPACE}:1:2`,
      `${WORKSPACE}:9007199254740993`,
    ])
      map.set(key, new Uint8Array(1));
    map.set(inboxKey(at), { n: 1 });
    expect(hostile.malformed).toBe(7);
    expect(hostile.numbers(WORKSPACE)).toEqual([1]);
    expect(hostile.open(KEYS, at)).toMatchObject({ error: { reason: 'damaged' } });
    expect(reader.malformed).toBe(0);
  });

  test('goes on for others when a listener throws', () => {
    const { author, copy, reader } = inbox();
    reader.onChange(() => {
      throw new Error('planted');
    });
    let updates = 0;
    copy.on('update', () => (updates += 1));
    author.put(KEYS, { workspace: WORKSPACE, n: 1 }, signedOf(1));
    author.put(KEYS, { workspace: WORKSPACE, n: 2 }, signedOf(2));
    expect(updates).toBe(2);
    expect(reader.broken).toContain('planted');
    reader.destroy();
  });
});

describe('an entry', () => {
  const at = { workspace: WORKSPACE, n: 1 };
  const bytes = sealInboxEntry({ seal, random }, INBOX_NAME, KEYS.newest, at, signedOf(1));

  test('[T9] opens in no other place and no other inbox', () => {
    expect(openInboxEntry(seal, INBOX_NAME, KEYS, at, bytes)).toEqual({ ok: true, value: signedOf(1) });
    expect(openInboxEntry(seal, `${INBOX_NAME}x`, KEYS, at, bytes)).toMatchObject({ ok: false });
    expect(openInboxEntry(seal, INBOX_NAME, KEYS, { ...at, n: 2 }, bytes)).toMatchObject({ ok: false });
    expect(openInboxEntry(seal, INBOX_NAME, KEYS, { ...at, workspace: OTHER }, bytes)).toMatchObject({ ok: false });
  });

  test('says what is wrong with it: too new, no key, damaged', () => {
    const open = (entry: Uint8Array) => openInboxEntry(seal, INBOX_NAME, KEYS, at, entry);
    expect(open(Uint8Array.of(2))).toEqual({ ok: false, error: { reason: 'too-new' } });
    const later = keyRing(nodeCrypto.hmac, [{ gen: 2, secret: new Uint8Array(32) }]);
    expect(open(sealInboxEntry({ seal, random }, INBOX_NAME, later.newest, at, signedOf(1)))).toEqual({
      ok: false,
      error: { reason: 'no-key', keyGen: 2 },
    });
    for (let length = 0; length < bytes.length; length += 1)
      expect(open(bytes.subarray(0, length))).toMatchObject({ error: { reason: 'damaged' } });
  });
});

test('a place in an inbox has one name', () => {
  expect(parseInboxKey(inboxKey({ workspace: WORKSPACE, n: 12 }))).toEqual({ workspace: WORKSPACE, n: 12 });
  for (const text of [`${WORKSPACE}:1.0`, `${WORKSPACE}: 1`, `${WORKSPACE}:-1`, WORKSPACE, 'w-x:1'])
    expect(parseInboxKey(text)).toBeUndefined();
});
