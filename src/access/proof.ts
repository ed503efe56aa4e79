import { utf8 } from '../base/bytes.ts';
import { canonicalText, type Json } from '../base/canonical-json.ts';
import type { Result } from '../base/result.ts';
import { read, record, text, type Reader } from '../base/shape.ts';
import type { Verify } from '../crypto/ports.ts';
import type { HomeId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { home, version1 } from './fields.ts';
import { openRecord, signedMessage } from './signed.ts';

export const PROOF_LIMITS = {
  /** UTF-8 bytes of a relay's origin, a room's name and a challenge. */
  originBytesMax: 256,
  roomBytesMax: 256,
  challengeBytesMax: 64,
} as const;

/**
 * A key's word that it asks for this room of this relay now. The relay gave the challenge out for the room, takes it
 * back once, and forgets it after 30 s, so that a proof that was seen is worth nothing.
 */
export interface Proof {
  readonly v: 1;
  readonly home: HomeId;
  /** Of the relay, as the asking side knows it: `ws://localhost:4420`. A relay takes no proof made for another one. */
  readonly origin: string;
  readonly room: string;
  readonly challenge: string;
}

const proof: Reader<Proof> = record({
  v: version1,
  home,
  origin: text({ bytesMin: 1, bytesMax: PROOF_LIMITS.originBytesMax }),
  room: text({ bytesMin: 1, bytesMax: PROOF_LIMITS.roomBytesMax }),
  challenge: text({ bytesMin: 1, bytesMax: PROOF_LIMITS.challengeBytesMax }),
});

export function parseProof(value: Json): Result<Proof> {
  return read(proof, value);
}

/** What to sign, for keys that sign in their own time (WebCrypto): the payload, and the message to be signed. */
export function proofToSign(value: Proof): { readonly payload: string; readonly message: Uint8Array } {
  const payload = canonicalText(value);
  return { payload, message: signedMessage({ type: 'proof', home: value.home, workspace: null }, utf8(payload)) };
}

/** The proof in a signed text, if this key signed it: a device's own, or the home's. */
export function openProof(verify: Verify, publicKey: Uint8Array, of: HomeId, signed: SignedText): Result<Proof> {
  return openRecord({ verify, publicKey, domain: { type: 'proof', home: of, workspace: null }, signed }, proof);
}
