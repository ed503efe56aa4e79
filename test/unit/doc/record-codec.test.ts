import { describe, expect, test } from 'vitest';
import { concat, utf8 } from '../../../src/base/bytes.ts';
import { canonicalBytes } from '../../../src/base/canonical-json.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { signValue } from '../../../src/access/signed.ts';
import { varString, varUint } from '../../../src/doc/cursor.ts';
import { isSigned, openEnvelope, peekRecord, sealRecord, type OpenedRecord } from '../../../src/doc/record-codec.ts';
import { toSignedBytes } from '../../../src/doc/signed-bytes.ts';
import type { Readable } from '../../../src/doc/unreadable.ts';
import type { LedgerRecord } from '../../../src/model/ledger.ts';
import {
  actionDraft,
  DEVICE_SIGNER,
  HOME_SIGNER,
  KEYS,
  nodeCrypto,
  PLACE,
  seededRandom,
  deviceDraft,
} from '../../support/doc-lab.ts';
import { LEDGER_RECORDS } from '../../support/wire/ledger-values.ts';

const by = { seal: nodeCrypto.seal, signer: HOME_SIGNER, random: seededRandom('codec') };
const ACTION = { ...actionDraft(1), rev: 3 } as LedgerRecord; // reason: a draft and a revision are a record

/** What a reader makes of bytes; `signer` as whoever signs, `value` as whatever they sign. */
function reading(bytes: Uint8Array, place = PLACE): Readable<OpenedRecord> {
  const envelope = peekRecord(bytes);
  return envelope.ok ? openEnvelope(nodeCrypto.seal, place, KEYS, envelope.value) : envelope;
}

function forged(value: unknown, envelope: { id: string; rev: number }, signer = HOME_SIGNER): Uint8Array {
  const signed = signValue(signer, { type: 'record', home: PLACE.home, workspace: PLACE.workspace }, value);
  return sealed(toSignedBytes(signed), envelope);
}

function sealed(plain: Uint8Array, { id, rev }: { id: string; rev: number }): Uint8Array {
  const nonce = new Uint8Array(24).fill(1);
  const aad = utf8(`${PLACE.name}|${id}|${rev}|1`);
  const body = nodeCrypto.seal.seal({ key: KEYS.newest.record, nonce, aad }, plain);
  return concat(Uint8Array.of(2), varUint(1), varString(id), varUint(rev), nonce, body);
}

describe('a record', () => {
  test.each(LEDGER_RECORDS.map((record) => [record.type, record] as const))(
    'of type %s is read as it was sealed',
    (_, record) => {
      const bytes = sealRecord(by, PLACE, KEYS.newest, record);
      expect(peekRecord(bytes)).toMatchObject({ ok: true, value: { keyGen: 1, id: record.id, rev: record.rev } });
      const opened = reading(bytes);
      expect(opened).toMatchObject({ ok: true, value: { record } });
      expect(opened.ok && isSigned(nodeCrypto.verify, HOME_SIGNER.publicKey, PLACE, opened.value)).toBe(true);
    },
  );

  test('[T9] opens in no other room, and as no other id, revision or generation', () => {
    const bytes = sealRecord(by, PLACE, KEYS.newest, ACTION);
    expect(reading(bytes, { ...PLACE, name: `${PLACE.name}0` })).toMatchObject({ error: { reason: 'damaged' } });
    for (const at of [1, 5, 32]) {
      const other = bytes.slice();
      other[at] = (other[at] ?? 0) ^ 1;
      expect(reading(other).ok).toBe(false);
    }
  });

  test('[T9] says that it was not signed by the home when a device with the content key made it', () => {
    const opened = reading(forged(ACTION, ACTION, DEVICE_SIGNER));
    expect(opened.ok && isSigned(nodeCrypto.verify, HOME_SIGNER.publicKey, PLACE, opened.value)).toBe(false);
  });

  test('[T9] is damaged when what is signed is another record than the envelope says', () => {
    expect(reading(forged(ACTION, { id: ACTION.id, rev: 4 }))).toMatchObject({ error: { reason: 'damaged' } });
    expect(reading(forged(ACTION, { id: 'sum', rev: 3 }))).toMatchObject({ error: { reason: 'damaged' } });
  });

  test.each([
    ['an unknown member', { ...ACTION, more: 1 }],
    ['a missing member', { ...ACTION, title: undefined }],
    ['an unknown type', { ...ACTION, type: 'rule' }],
    ['no type', { v: 1, rev: 3, id: ACTION.id }],
    ['a list', [ACTION]],
    ['an unknown state', { ...ACTION, state: 'done' }],
    ['a range that ends before it begins', { ...ACTION, saw: { ranges: [[3, 2]], more: false } }],
    ['a version below ours', { ...ACTION, v: 0 }],
  ])('with %s is damaged', (_, value) => {
    expect(reading(forged(value, ACTION))).toMatchObject({ ok: false, error: { reason: 'damaged' } });
  });

  test('of a newer version says so, whatever else it holds', () => {
    expect(reading(forged({ v: 2, surprise: true }, ACTION))).toEqual({ ok: false, error: { reason: 'too-new' } });
    expect(peekRecord(Uint8Array.of(3))).toEqual({ ok: false, error: { reason: 'too-new' } });
  });

  test('of an older version is not taken for a newer one', () => {
    const why = expect.stringContaining('older version');
    expect(peekRecord(Uint8Array.of(1, 1))).toEqual({ ok: false, error: { reason: 'damaged', why } });
  });

  test('that is not canonical, or no text, is damaged', () => {
    const signature = new Uint8Array(64);
    for (const payload of [utf8('{"v": 1}'), Uint8Array.of(255), utf8('')])
      expect(reading(sealed(concat(signature, payload), ACTION))).toMatchObject({ error: { reason: 'damaged' } });
  });

  test('of a key that is not here says which', () => {
    const bytes = sealRecord(by, PLACE, { ...KEYS.newest, gen: 9 }, ACTION);
    expect(reading(bytes)).toEqual({ ok: false, error: { reason: 'no-key', keyGen: 9 } });
  });

  test('every beginning of it is damaged, and so is one that is too long', () => {
    const bytes = sealRecord(by, PLACE, KEYS.newest, ACTION);
    for (let length = 0; length < bytes.length; length += 1)
      expect(reading(bytes.subarray(0, length))).toMatchObject({ error: { reason: 'damaged' } });
    expect(reading(concat(bytes, new Uint8Array(9_000)))).toMatchObject({ error: { reason: 'damaged' } });
  });

  test('that no reader takes, or that is longer than a record may be, is not sealed', () => {
    const long = { ...deviceDraft(1, 'x'.repeat(2_000)), rev: 1 } as LedgerRecord; // reason: as above
    expect(() => sealRecord(by, PLACE, KEYS.newest, long)).toThrow(CountersignError);
    const receipt = LEDGER_RECORDS.find(({ type }) => type === 'receipt') as LedgerRecord; // reason: there is one
    const huge = { ...receipt, receipt: { payload: 'x'.repeat(8_100), signature: '0'.repeat(128) } } as LedgerRecord; // reason: as above
    for (const more of [{ more: 1 }, { title: undefined }, { seq: Number.NaN }, { title: '\ud800' }]) {
      const odd = { ...ACTION, ...more } as LedgerRecord; // reason: as above
      expect(() => sealRecord(by, PLACE, KEYS.newest, odd), Object.keys(more)[0]).toThrow(CountersignError);
    }
    expect(canonicalBytes(huge).length).toBeGreaterThan(8_192);
    expect(() => sealRecord(by, PLACE, KEYS.newest, huge)).toThrow(CountersignError);
  });
});
