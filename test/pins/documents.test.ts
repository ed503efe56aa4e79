import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { parseCredentialText } from '../../src/access/credentials.ts';
import { openGrant } from '../../src/access/grant.ts';
import { openProof } from '../../src/access/proof.ts';
import { toHex, utf8 } from '../../src/base/bytes.ts';
import { openBox } from '../../src/crypto/box.ts';
import { nobleCrypto } from '../../src/crypto/noble.ts';
import { nodeCrypto } from '../../src/crypto/node.ts';
import { openBlob } from '../../src/doc/blob.ts';
import { InboxReader, openInboxEntry } from '../../src/doc/inbox.ts';
import { contentKey, keyRing, openKeys } from '../../src/doc/keys.ts';
import { LedgerReader } from '../../src/doc/ledger-reader.ts';
import { openManifest } from '../../src/doc/manifest.ts';
import { isSigned, openEnvelope, peekRecord } from '../../src/doc/record-codec.ts';
import { DOC_LIMITS, DOC_SCHEMA, ROOT } from '../../src/doc/schema.ts';
import { openTileEntry, TileReader } from '../../src/doc/tile.ts';
import type { Digest } from '../../src/model/ids.ts';
import { openDecision } from '../../src/trust/decision.ts';
import { bytesOf } from '../support/bytes-of.ts';
import {
  BLOB,
  BOX_CONTEXT,
  ENTRY,
  GRANT,
  INBOX,
  LEDGER,
  MANIFEST,
  PROOF,
  RING,
  TILE,
} from '../support/wire/documents.ts';
import { LEDGER_RECORDS } from '../support/wire/ledger-values.ts';
import { DECISIONS, DEVICE, HOME, WORKSPACE } from '../support/wire/values.ts';

/**
 * Goal: what a released version sealed and published is read by every later one, and a layout never changes in silence.
 * Method: the frozen files are read by the present readers; their hash stands beside the version of the layout.
 */
const folder = new URL('../golden/wire/', import.meta.url);
const text = (name: string): string => readFileSync(new URL(`${name}.json`, folder), 'utf8');
const frozen = (name: string): Frozen => JSON.parse(text(name)) as Frozen; // reason: test/pins/wire.test.ts compares it
type Frozen = Readonly<Record<string, string>>;

/** The hash of the layout, by version. A line is added, never changed: whoever has to change one raises `DOC_SCHEMA`. */
const LAYOUT: Readonly<Record<number, string>> = {
  1: '803aec77657b679ff86d5ef8e214e9a0634ae7e396ffcd2da1d8e5c4981be608',
  2: 'b320f7c8b8626b4b9f8621839bcdb11793aa327bedc9249f18030dbc29ef0428',
};

const FILES = ['content-key', 'ledger-record', 'inbox-entry', 'tile-entry', 'manifest', 'blob', 'box', 'documents'];

test('the layout of documents is that of its version', () => {
  const hash = createHash('sha256');
  for (const name of FILES) hash.update(text(name));
  hash.update(JSON.stringify([ROOT, DOC_LIMITS]));
  expect(hash.digest('hex')).toBe(LAYOUT[DOC_SCHEMA]);
  expect(Object.keys(LAYOUT)).toHaveLength(DOC_SCHEMA);
});

describe.each([
  ['noble', nobleCrypto],
  ['node', nodeCrypto],
])('what was frozen is read with %s', (_, crypto) => {
  const place = { home: HOME, workspace: WORKSPACE };
  const homeKey = bytesOf(frozen('grant')['publicKey'] ?? '');

  test('content keys', async () => {
    const file = JSON.parse(text('content-key')) as Frozen & { sealedOlder: { keyGen: number; sealed: string } }; // reason: as above
    const { gen: _gen, ...keys } = contentKey(crypto.hmac, { gen: 2, secret: bytesOf(file['secret'] ?? '') });
    for (const [use, key] of Object.entries(keys)) expect(toHex(key), use).toBe(file[use]);
    const box = Buffer.from(bytesOf(frozen('box')['box'] ?? '')).toString('base64url');
    const own = crypto.agreement(bytesOf(frozen('box')['secret'] ?? ''));
    const head = { id: WORKSPACE, keyGen: 2, boxes: [{ device: DEVICE, box }], older: [file.sealedOlder] };
    const opened = await openKeys(crypto, own, { home: HOME, device: DEVICE }, head);
    expect(opened.ok && opened.value.secrets.map(({ secret }) => toHex(secret))).toEqual([
      file['secret'],
      file['olderSecret'],
    ]);
  });

  test('a box', async () => {
    const { box = '', plain, secret = '' } = frozen('box');
    const opened = await openBox(crypto, crypto.agreement(bytesOf(secret)), utf8(BOX_CONTEXT), bytesOf(box));
    expect(toHex(opened ?? new Uint8Array(0))).toBe(plain);
  });

  test('[T16] records of every type', () => {
    const files = JSON.parse(text('ledger-record')) as readonly { sealed: string }[]; // reason: as above
    files.forEach(({ sealed }, index) => {
      const envelope = peekRecord(bytesOf(sealed));
      const opened = envelope.ok ? openEnvelope(crypto.seal, LEDGER, RING, envelope.value) : envelope;
      expect(opened).toMatchObject({ ok: true, value: { record: LEDGER_RECORDS[index] } });
      expect(opened.ok && isSigned(crypto.verify, homeKey, LEDGER, opened.value)).toBe(true);
    });
    expect(files).toHaveLength(LEDGER_RECORDS.length);
  });

  test('[T16] a decision in an inbox', () => {
    const at = { workspace: WORKSPACE, n: 1 };
    const opened = openInboxEntry(crypto.seal, INBOX, RING, at, bytesOf(frozen('inbox-entry')['sealed'] ?? ''));
    const key = bytesOf(frozen('proof')['publicKey'] ?? '');
    const decision = opened.ok ? openDecision(crypto.verify, key, place, opened.value) : opened;
    expect(decision).toEqual({ ok: true, value: DECISIONS.approve });
  });

  test('an audit entry, a blob, a manifest', () => {
    const entry = openTileEntry(crypto, TILE, RING, 7, bytesOf(frozen('tile-entry')['sealed'] ?? ''));
    expect(entry).toEqual({ ok: true, value: utf8(ENTRY) });
    const hash = toHex(crypto.sha256(utf8(BLOB))) as Digest; // reason: SHA-256 as hexadecimal is a digest
    const blob = openBlob(crypto, place, RING, hash, bytesOf(frozen('blob')['sealed'] ?? ''));
    expect(blob).toEqual({ ok: true, value: utf8(BLOB) });
    const { hash: root, payload = '', signature = '' } = frozen('manifest');
    const of = { ...place, hash: root as Digest }; // reason: as above
    expect(openManifest(crypto, homeKey, of, { payload, signature })).toEqual({ ok: true, value: MANIFEST });
  });

  test('[T16] a grant, a proof, and both as credentials', () => {
    const grant = frozen('grant') as Frozen & { payload: string; signature: string }; // reason: as above
    expect(openGrant(crypto.verify, homeKey, HOME, grant)).toEqual({ ok: true, value: GRANT });
    const proof = frozen('proof') as Frozen & { payload: string; signature: string }; // reason: as above
    const key = bytesOf(proof['publicKey'] ?? '');
    expect(openProof(crypto.verify, key, HOME, proof)).toEqual({ ok: true, value: PROOF });
    expect(parseCredentialText(proof['credentials'] ?? '')).toMatchObject({
      ok: true,
      value: { homeKey, grant: { payload: grant.payload }, proof: { payload: proof.payload } },
    });
  });

  test('whole documents', () => {
    const file = JSON.parse(text('documents')) as {
      ledger: { updates: readonly string[] };
      inbox: string;
      tile: string;
    }; // reason: as above
    const [ledger, inbox, tile] = [file.ledger.updates, [file.inbox], [file.tile]].map((updates) => {
      const doc = new Y.Doc();
      for (const update of updates) Y.applyUpdate(doc, bytesOf(update));
      return doc;
    }) as [Y.Doc, Y.Doc, Y.Doc]; // reason: three lists, three documents
    const reader = new LedgerReader(ledger, { crypto, homeKey, place: LEDGER, keys: () => RING });
    expect(reader.check()).toMatchObject({ state: 'whole', sum: { rev: 2, count: 4 } });
    expect(
      new InboxReader(inbox, { seal: crypto.seal, name: INBOX }).open(RING, { workspace: WORKSPACE, n: 1 })?.ok,
    ).toBe(true);
    const entries = new TileReader(tile, { crypto, name: TILE, keys: () => keyRing(crypto.hmac, [RING.secrets[0]!]) });
    expect([entries.numbers, entries.entry(7)]).toEqual([[7, 8], { ok: true, value: utf8(ENTRY) }]);
  });
});
