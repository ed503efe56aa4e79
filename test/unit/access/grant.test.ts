import { expect, test } from 'vitest';
import { toHex } from '../../../src/base/bytes.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import { openGrant, parseGrant, signGrant, type Grant } from '../../../src/access/grant.ts';
import { homeId } from '../../../src/model/ids.ts';
import { signValue } from '../../../src/access/signed.ts';
import { DEVICE, DEVICE_SIGNER, HOME, HOME_SIGNER, nodeCrypto } from '../../support/doc-lab.ts';

const { verify } = nodeCrypto;
const GRANT: Grant = {
  v: 1,
  home: HOME,
  device: DEVICE,
  publicKey: toHex(DEVICE_SIGNER.publicKey),
  right: 'approve-reversible',
  number: 3,
};
const signed = signGrant(HOME_SIGNER, GRANT);

test('[T16] a grant is read as the home signed it', () => {
  expect(openGrant(verify, HOME_SIGNER.publicKey, HOME, signed)).toEqual({ ok: true, value: GRANT });
});

test('[T16] a grant is nothing from another key, for another home, or as another kind of record', () => {
  expect(openGrant(verify, DEVICE_SIGNER.publicKey, HOME, signed).ok).toBe(false);
  expect(openGrant(verify, HOME_SIGNER.publicKey, homeId(new Uint8Array(16)), signed).ok).toBe(false);
  const proof = signValue(HOME_SIGNER, { type: 'proof', home: HOME, workspace: null }, GRANT);
  expect(openGrant(verify, HOME_SIGNER.publicKey, HOME, proof).ok).toBe(false);
  const raised = { ...signed, payload: signed.payload.replace('approve-reversible', 'approve-all') };
  expect(openGrant(verify, HOME_SIGNER.publicKey, HOME, raised).ok).toBe(false);
});

test.each([
  ['an unknown right', { right: 'all' }],
  ['an unknown member', { more: 1 }],
  ['another version', { v: 2 }],
  ['a key that is none', { publicKey: 'AB'.repeat(32) }],
  ['no number', { number: 0 }],
  ['a device that is none', { device: 'd-x' }],
])('a grant with %s is refused, and not signed', (_, change) => {
  const value = { ...GRANT, ...change };
  expect(parseGrant(value).ok).toBe(false);
  expect(() => signGrant(HOME_SIGNER, value as Grant)).toThrow(CountersignError); // reason: it is none
  const forged = signValue(HOME_SIGNER, { type: 'grant', home: HOME, workspace: null }, value);
  expect(openGrant(verify, HOME_SIGNER.publicKey, HOME, forged).ok).toBe(false);
});
