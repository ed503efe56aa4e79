import type { Json } from '../base/canonical-json.ts';
import type { Result } from '../base/result.ts';
import { oneOf, read, record, type Reader } from '../base/shape.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import type { DeviceId, HomeId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { device, home, ordinal, publicKey, version1 } from './fields.ts';
import { RIGHT_ORDER, type Right } from './rights.ts';
import { openRecord, signRecord } from './signed.ts';

/**
 * The home's word that a device is one of its own, given when it was paired. Long-lived: a device shows it to a relay
 * while the runtime sleeps. What it says is overruled by the newest head, in which a removed device is missing.
 */
export interface Grant {
  readonly v: 1;
  readonly home: HomeId;
  readonly device: DeviceId;
  /** Ed25519, 64 lower-case hexadecimal digits: proofs are signed with it. */
  readonly publicKey: string;
  readonly right: Right;
  /** The home's roster number when it was given: a newer grant of the same device has a higher one. */
  readonly number: number;
}

const grant: Reader<Grant> = record({
  v: version1,
  home,
  device,
  publicKey,
  right: oneOf(...RIGHT_ORDER),
  number: ordinal,
});

export function parseGrant(value: Json): Result<Grant> {
  return read(grant, value);
}

/** Throws: `bad-input` for a grant that `parseGrant` refuses. */
export function signGrant(signer: Signer, value: Grant): SignedText {
  return signRecord(signer, 'grant', grant, value);
}

/** The grant in a signed text, if this home key signed it. */
export function openGrant(verify: Verify, homeKey: Uint8Array, of: HomeId, signed: SignedText): Result<Grant> {
  return openRecord(
    { verify, publicKey: homeKey, domain: { type: 'grant', home: of, workspace: null }, signed },
    grant,
  );
}
