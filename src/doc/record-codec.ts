import { concat, utf8 } from '../base/bytes.ts';
import { parseCanonical, type Json, type JsonObject } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import { ok } from '../base/result.ts';
import { read } from '../base/shape.ts';
import type { Crypto, Lock, Signer, Verify } from '../crypto/ports.ts';
import { openSigned, signValue, type Domain } from '../access/signed.ts';
import type { HomeId, WorkspaceId } from '../model/ids.ts';
import { LEDGER_LIMITS, type LedgerRecord } from '../model/ledger.ts';
import type { SignedText } from '../model/signed-text.ts';
import { Cursor, varString, varUint } from './cursor.ts';
import type { ContentKey, KeyRing } from './keys.ts';
import { ledgerRecord } from './record-shape.ts';
import { DOC_LIMITS } from './schema.ts';
import { fromSignedBytes, SIGNATURE_BYTES, toSignedBytes } from './signed-bytes.ts';
import { damaged, noKey, TOO_NEW, type Readable } from './unreadable.ts';

/** Where a ledger's records belong. Sealed into each, so that none is good in another room. */
export interface LedgerPlace {
  readonly home: HomeId;
  readonly workspace: WorkspaceId;
  /** The room's whole name, `q/<home>/<workspace>/<room>`. */
  readonly name: string;
}

/** What a record says of itself before it is opened. Nothing of it is proven until it is. */
export interface Envelope {
  readonly keyGen: number;
  readonly id: string;
  readonly rev: number;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

/** A record that opened with the content key. Whether the home signed it is asked with `isSigned`. */
export interface OpenedRecord {
  readonly record: LedgerRecord;
  readonly signed: SignedText;
}

/** Of the envelope and of what a record must hold; with 2 came members that readers of 1 would take for damage. */
const VERSION = 2;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const SEALED_BYTES_MAX = LEDGER_LIMITS.recordBytesMax + SIGNATURE_BYTES + TAG_BYTES;

/**
 * A record as it stands in the ledger: signed by the home, then sealed for who may read the workspace.
 *
 * Throws: `bad-input` for a record that no reader would accept, or that is longer than a record may be.
 */
export function sealRecord(
  by: { readonly seal: Crypto['seal']; readonly signer: Signer; readonly random: Random },
  place: LedgerPlace,
  key: ContentKey,
  record: LedgerRecord,
): Uint8Array {
  // Types say nothing of bounds. What is written is read back as this very value, which a test sees for every type.
  // reason: a record is made of JSON
  const checked = read(ledgerRecord, record as unknown as Json);
  if (!checked.ok) throw new CountersignError('bad-input', `This record cannot be published. ${checked.error}`);
  const signed = signValue(by.signer, domainOf(place), record);
  const head = { keyGen: key.gen, id: record.id, rev: record.rev, nonce: by.random.bytes(NONCE_BYTES) };
  return concat(
    Uint8Array.of(VERSION),
    varUint(head.keyGen),
    varString(head.id),
    varUint(head.rev),
    head.nonce,
    by.seal.seal(lockOf(place, key, head), toSignedBytes(signed)),
  );
}

/** Key generation, id and revision of a record, without any cryptography. */
export function peekRecord(bytes: Uint8Array): Readable<Envelope> {
  const cursor = new Cursor(bytes);
  const version = cursor.byte();
  if (version === undefined) return damaged('A record is empty.');
  if (version < VERSION) return damaged('A record is of an older version; its room was given up for another one.');
  if (version !== VERSION) return TOO_NEW;
  const keyGen = cursor.varUint();
  const id = cursor.varString(DOC_LIMITS.recordIdBytesMax);
  const rev = cursor.varUint();
  const nonce = cursor.take(NONCE_BYTES);
  const sealed = cursor.rest();
  if (keyGen === undefined || id === undefined || rev === undefined || nonce === undefined)
    return damaged('A record has no whole envelope.');
  if (sealed.length > SEALED_BYTES_MAX) return damaged('A record is longer than a record may be.');
  return ok({ keyGen, id, rev, nonce, sealed });
}

/** The record in an envelope: opened with the content key and read strictly, its signature not verified yet. */
export function openEnvelope(
  seal: Crypto['seal'],
  place: LedgerPlace,
  keys: KeyRing,
  envelope: Envelope,
): Readable<OpenedRecord> {
  const key = keys.of(envelope.keyGen);
  if (key === undefined) return noKey(envelope.keyGen);
  const plain = seal.open(lockOf(place, key, envelope), envelope.sealed);
  const signed = plain && fromSignedBytes(plain);
  if (signed === undefined) return damaged(`The record ${envelope.id} does not open with its key.`);
  const value = parsed(signed.payload);
  if (value === undefined) return damaged(`The record ${envelope.id} is not canonical.`);
  if (isNewer(value)) return TOO_NEW;
  const checked = read(ledgerRecord, value);
  if (!checked.ok) return damaged(`The record ${envelope.id} is malformed. ${checked.error}`);
  if (checked.value.id !== envelope.id || checked.value.rev !== envelope.rev)
    return damaged(`The record ${envelope.id} is sealed as another one than it is.`);
  return ok({ record: checked.value, signed });
}

/** Did the home sign it? Slow (a millisecond in a page), so it is asked for what is shown or decided. */
export function isSigned(verify: Verify, homeKey: Uint8Array, place: LedgerPlace, { signed }: OpenedRecord): boolean {
  return openSigned(verify, homeKey, domainOf(place), signed) !== undefined;
}

function parsed(payload: string): Json | undefined {
  try {
    return parseCanonical(utf8(payload));
  } catch (thrown) {
    if (CountersignError.is(thrown) && thrown.code === 'bad-input') return undefined;
    throw thrown;
  }
}

/** A version above ours, whatever else it holds. */
function isNewer(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { v } = value as JsonObject; // reason: Array.isArray does not narrow a readonly array away
  return typeof v === 'number' && Number.isSafeInteger(v) && v > 1;
}

function domainOf({ home, workspace }: LedgerPlace): Domain {
  return { type: 'record', home, workspace };
}

function lockOf(place: LedgerPlace, key: ContentKey, of: Pick<Envelope, 'id' | 'rev' | 'nonce'>): Lock {
  return { key: key.record, nonce: of.nonce, aad: utf8(`${place.name}|${of.id}|${of.rev}|${key.gen}`) };
}
