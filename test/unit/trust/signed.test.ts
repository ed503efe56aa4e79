import { describe, expect, test } from 'vitest';
import { concat, toHex, utf8 } from '../../../src/base/bytes.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { nobleSigner } from '../../../src/crypto/noble.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import { homeId, workspaceId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { openSigned, PAYLOAD_BYTES_MAX, signValue, type Domain, type SignedType } from '../../../src/access/signed.ts';
import { bytesOf } from '../../support/bytes-of.ts';
import { DEVICE_SEED, HOME, HOME_SEED, WORKSPACE } from '../../support/wire/values.ts';

const signer = nobleSigner(bytesOf(HOME_SEED));
const DOMAIN: Domain = { type: 'heartbeat', home: HOME, workspace: WORKSPACE };
const VALUE = { b: [1, 'ä'], a: null };
const signed = signValue(signer, DOMAIN, VALUE);
const open = (text: SignedText, domain = DOMAIN, key = signer.publicKey) =>
  openSigned(nodeCrypto.verify, key, domain, text);

/** Signs a payload as it is, canonical or not. */
function signText(payload: string, domain: Domain = DOMAIN): SignedText {
  const header = `countersign ${domain.type}|1|${domain.home}|${domain.workspace ?? '-'}\n`;
  return { payload, signature: toHex(signer.sign(concat(utf8(header), utf8(payload)))) };
}

test('what is signed is the domain line and the canonical payload', () => {
  expect(signed.payload).toBe('{"a":null,"b":[1,"ä"]}');
  expect(signed).toEqual(signText(signed.payload));
  expect(open(signed)).toEqual(VALUE);
});

test('what concerns the whole home is signed with a dash for the workspace', () => {
  const domain: Domain = { type: 'head', home: HOME, workspace: null };
  expect(signValue(signer, domain, VALUE)).toEqual(signText(signed.payload, domain));
  expect(open(signValue(signer, domain, VALUE), domain)).toEqual(VALUE);
});

describe('[T16] a signature is good for its own type, home and workspace only', () => {
  const types: readonly SignedType[] = ['decision', 'receipt', 'head', 'checkpoint'];
  const others: readonly Domain[] = [
    ...types.map((type) => ({ ...DOMAIN, type })),
    { ...DOMAIN, home: homeId(new Uint8Array(16).fill(7)) },
    { ...DOMAIN, workspace: workspaceId(new Uint8Array(16)) },
    { ...DOMAIN, workspace: null },
  ];
  test.each(others)('$type $home $workspace', (other) => {
    expect(open(signed, other)).toBeUndefined();
    expect(open(signValue(signer, other, VALUE))).toBeUndefined();
  });
});

test('[T9] another key, a changed payload or a changed signature opens nothing', () => {
  expect(open(signed, DOMAIN, nobleSigner(bytesOf(DEVICE_SEED)).publicKey)).toBeUndefined();
  expect(open({ ...signed, payload: signed.payload.replace('1', '2') })).toBeUndefined();
  for (const signature of ['', 'zz', signed.signature.toUpperCase(), `${signed.signature}00`, '0'.repeat(128)]) {
    expect(open({ ...signed, signature })).toBeUndefined();
  }
});

test('[T9] a rightly signed payload that is not canonical opens nothing', () => {
  for (const payload of ['{"b":1,"a":2}', '{"a":1,"a":2}', '{"a":1 }', '1.0', '', '{', '{"__proto__":1}']) {
    expect(open(signText(payload)), payload).toBeUndefined();
  }
});

test('half a surrogate pair does not pass for the replacement character it is encoded as', () => {
  expect(open(signText('"\ufffd"'))).toBe('\ufffd');
  expect(open({ ...signText('"\ufffd"'), payload: '"\ud800"' })).toBeUndefined();
});

test('[CP-3] a payload is as long as its type may be, and no longer', () => {
  const max = PAYLOAD_BYTES_MAX.heartbeat;
  const filler = (bytes: number): string => 'ä'.repeat(bytes / 2 - 1);
  expect(open(signValue(signer, DOMAIN, filler(max)))).toBe(filler(max));
  expect(() => signValue(signer, DOMAIN, filler(max + 2))).toThrow(CountersignError);
  expect(open(signText(`"${filler(max + 2)}"`))).toBeUndefined();
});
