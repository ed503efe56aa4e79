import { canonicalBytes, parseCanonical, type Json } from '../base/canonical-json.ts';
import { concat, fromHex, textOf, toHex, utf8 } from '../base/bytes.ts';
import { assert } from '../base/assert.ts';
import { CountersignError } from '../base/errors.ts';
import { err, type Result } from '../base/result.ts';
import type { Signer, Verify } from '../crypto/ports.ts';
import type { HomeId, WorkspaceId } from '../model/ids.ts';
import type { SignedText } from '../model/signed-text.ts';
import { read, type Reader } from '../base/shape.ts';

/** What a signature is for. It is signed with the payload, so that no signature is good in another place (T16). */
export interface Domain {
  readonly type: SignedType;
  readonly home: HomeId;
  /** `null` for what concerns the home as a whole. */
  readonly workspace: WorkspaceId | null;
}

export type SignedType =
  | 'decision'
  | 'receipt'
  | 'heartbeat'
  | 'head'
  | 'checkpoint'
  | 'grant'
  | 'proof'
  | 'record'
  | 'manifest';

const SIGNATURE_DIGITS = 128;

/** UTF-8 bytes of a payload, checked before any cryptography: a larger one is hostile. */
export const PAYLOAD_BYTES_MAX: Readonly<Record<SignedType, number>> = {
  /** The model's own bound; a test keeps them equal. */
  decision: 64 * 1024,
  /** One result an item of a decision, each with a reason of at most 1 KiB. */
  receipt: 1024 * 1024,
  heartbeat: 1024,
  /** 256 devices, and 256 workspaces with a box for each: 40 devices in 100 workspaces are 0.8 MB. */
  head: 2 * 1024 * 1024,
  checkpoint: 1024,
  grant: 1024,
  proof: 1024,
  /** Of a ledger: what does not fit is a blob. */
  record: 8 * 1024,
  manifest: 256 * 1024,
};

/**
 * Signs the canonical JSON of a value.
 *
 * Throws: `bad-input` when the value has no canonical form, or a longer one than its type may have.
 */
export function signValue(signer: Signer, domain: Domain, value: unknown): SignedText {
  const bytes = canonicalBytes(value);
  const payload = textOf(bytes);
  assert(payload !== undefined, 'canonical JSON is UTF-8');
  if (bytes.length > PAYLOAD_BYTES_MAX[domain.type]) {
    throw new CountersignError(
      'bad-input',
      `A ${domain.type} may have ${PAYLOAD_BYTES_MAX[domain.type]} bytes at most.`,
    );
  }
  return { payload, signature: toHex(signer.sign(signedMessage(domain, bytes))) };
}

/** The value that this key signed for this domain; `undefined` for a bad signature or what is not canonical. */
export function openSigned(
  verify: Verify,
  publicKey: Uint8Array,
  domain: Domain,
  signed: SignedText,
): Json | undefined {
  if (signed.payload.length > PAYLOAD_BYTES_MAX[domain.type] || !signed.payload.isWellFormed()) return undefined;
  const payload = utf8(signed.payload);
  const signature = signed.signature.length === SIGNATURE_DIGITS ? fromHex(signed.signature) : undefined;
  if (payload.length > PAYLOAD_BYTES_MAX[domain.type] || signature === undefined) return undefined;
  if (!verify(publicKey, signedMessage(domain, payload), signature)) return undefined;
  try {
    return parseCanonical(payload);
  } catch (thrown) {
    // Signed by this key, and still not one value: two readers could see two.
    if (CountersignError.is(thrown) && thrown.code === 'bad-input') return undefined;
    throw thrown;
  }
}

/** A record that says where it belongs; one without a workspace concerns the home as a whole. */
interface Placed {
  readonly home: HomeId;
  readonly workspace?: WorkspaceId;
}

/** Signs a record that its own reader accepts. Throws: `bad-input` for one that no reader would. */
export function signRecord<T extends Placed>(
  signer: Signer,
  type: SignedType,
  reader: Reader<T>,
  value: T,
): SignedText {
  const signed = signValue(signer, { type, home: value.home, workspace: value.workspace ?? null }, value);
  const checked = read(reader, parseCanonical(utf8(signed.payload)));
  if (!checked.ok) throw new CountersignError('bad-input', `This ${type} cannot be signed. ${checked.error}`);
  return signed;
}

/** The record that this key signed for this domain, and that says of itself that it belongs there. */
export function openRecord<T extends Placed>(
  opened: {
    readonly verify: Verify;
    readonly publicKey: Uint8Array;
    readonly domain: Domain;
    readonly signed: SignedText;
  },
  reader: Reader<T>,
): Result<T> {
  const { domain } = opened;
  const value = openSigned(opened.verify, opened.publicKey, domain, opened.signed);
  if (value === undefined) return err(`The ${domain.type} is not signed by the key it should be signed by.`);
  const result = read(reader, value);
  if (!result.ok) return err(`The ${domain.type} is malformed. ${result.error}`);
  if (result.value.home !== domain.home || (result.value.workspace ?? null) !== domain.workspace)
    return err(`The ${domain.type} names another home or workspace than it was signed for.`);
  return result;
}

/** The bytes a signature of this domain is over. */
export function signedMessage(domain: Domain, payload: Uint8Array): Uint8Array {
  const header = `countersign ${domain.type}|1|${domain.home}|${domain.workspace ?? '-'}\n`;
  return concat(utf8(header), payload);
}
