import { expect, test } from 'vitest';
import { toHex, utf8 } from '../../../src/base/bytes.ts';
import { openProof, parseProof, PROOF_LIMITS, proofToSign, type Proof } from '../../../src/access/proof.ts';
import { signedMessage } from '../../../src/access/signed.ts';
import { homeId } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { DEVICE_SIGNER, HOME, HOME_SIGNER, nodeCrypto, PLACE } from '../../support/doc-lab.ts';

const { verify } = nodeCrypto;
const PROOF: Proof = { v: 1, home: HOME, origin: 'ws://localhost:4420', room: PLACE.name, challenge: 'abc' };

function signed(value: Proof, signer = DEVICE_SIGNER): SignedText {
  const { message, payload } = proofToSign(value);
  return { payload, signature: toHex(signer.sign(message)) };
}

test('[T16] a proof is read as its key signed it, a device’s or the home’s', () => {
  for (const signer of [DEVICE_SIGNER, HOME_SIGNER])
    expect(openProof(verify, signer.publicKey, HOME, signed(PROOF, signer))).toEqual({ ok: true, value: PROOF });
});

test('[T16] what is signed says what it is for', () => {
  const { message, payload } = proofToSign(PROOF);
  expect(message).toEqual(signedMessage({ type: 'proof', home: HOME, workspace: null }, utf8(payload)));
});

test('[T14] a proof is nothing from another key, for another home, or with another origin, room or challenge', () => {
  const proof = signed(PROOF);
  expect(openProof(verify, HOME_SIGNER.publicKey, HOME, proof).ok).toBe(false);
  expect(openProof(verify, DEVICE_SIGNER.publicKey, homeId(new Uint8Array(16)), proof).ok).toBe(false);
  const others = [{ origin: 'ws://localhost:4421' }, { room: `${PLACE.name}1` }, { challenge: 'abd' }];
  for (const other of others) {
    const { payload } = proofToSign({ ...PROOF, ...other });
    expect(openProof(verify, DEVICE_SIGNER.publicKey, HOME, { ...proof, payload }).ok).toBe(false);
  }
});

test.each([
  ['an empty challenge', { challenge: '' }],
  ['a room that is too long', { room: 'x'.repeat(PROOF_LIMITS.roomBytesMax + 1) }],
  ['an origin that is too long', { origin: 'x'.repeat(PROOF_LIMITS.originBytesMax + 1) }],
  ['an unknown member', { more: true }],
  ['another version', { v: 2 }],
])('a proof with %s is refused, signed or not', (_, change) => {
  const value = { ...PROOF, ...change } as Proof; // reason: it is none
  expect(parseProof({ ...PROOF, ...change }).ok).toBe(false);
  expect(openProof(verify, DEVICE_SIGNER.publicKey, HOME, signed(value)).ok).toBe(false);
});
