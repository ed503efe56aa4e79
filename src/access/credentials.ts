import { fromBase64Url, fromHex, textOf, toBase64Url, toHex, utf8 } from '../base/bytes.ts';
import { err, ok, type Result } from '../base/result.ts';
import type { SignedText } from '../model/signed-text.ts';

/**
 * How a caller says who it is, in the subprotocols of a WebSocket or the `Authorization` header of a request: the
 * home's public key, a proof by the device (with its grant) or by the home itself (without one).
 */
export interface Credentials {
  /** Ed25519, 32 bytes. Its hash is the home's id, so nobody can speak for a home with another key. */
  readonly homeKey: Uint8Array;
  /** `null` when the home itself asks. */
  readonly grant: SignedText | null;
  readonly proof: SignedText;
}

/** The subprotocol a relay selects for who understands its own messages (durable acknowledgement, head). */
export const PROTOCOL = 'countersign.1';

/** Characters of one credential: a grant has about 500 bytes, as base64url. */
const CHARS_MAX = 4096;

const SEPARATOR = '.';

/** The subprotocols to ask for. Tokens of RFC 7230: nothing in them has to be quoted. */
export function toSubprotocols(credentials: Credentials): readonly string[] {
  return [PROTOCOL, `auth.${credentialText(credentials)}`];
}

/**
 * The subprotocol that says which head a caller has already: 16 bytes of its signature, which no other one has. A number
 * would keep back a lower head, by which a relay that went back is known, and another head of the same number.
 */
export function headWord(head: SignedText): string {
  return `head.${head.signature.slice(0, 32)}`;
}

/** The credentials among the subprotocols that were asked for; `undefined` when there are none. */
export function fromSubprotocols(asked: Iterable<string>): Result<Credentials> | undefined {
  for (const each of asked) if (each.startsWith('auth.')) return parseCredentialText(each.slice('auth.'.length));
  return undefined;
}

/** One word without white space: `<home key>.<grant or ->.<signature>.<proof>.<signature>`. */
export function credentialText({ grant, homeKey, proof }: Credentials): string {
  return [toHex(homeKey), grant === null ? '-' : signedWord(grant), signedWord(proof)].join(SEPARATOR);
}

export function parseCredentialText(word: string): Result<Credentials> {
  if (word.length > CHARS_MAX) return err('The credentials are too long.');
  const parts = word.split(SEPARATOR);
  const [key, ...rest] = parts;
  const homeKey = key === undefined ? undefined : fromHex(key);
  const grant = rest[0] === '-' ? null : readWord(rest.slice(0, 2));
  const proof = readWord(rest.slice(grant === null ? 1 : 2));
  const length = grant === null ? 4 : 5;
  if (homeKey?.length !== 32 || grant === undefined || proof === undefined || parts.length !== length)
    return err('The credentials are malformed.');
  return ok({ homeKey, grant, proof });
}

function signedWord({ payload, signature }: SignedText): string {
  return `${toBase64Url(utf8(payload))}${SEPARATOR}${signature}`;
}

function readWord([encoded, signature]: readonly string[]): SignedText | undefined {
  const bytes = encoded === undefined ? undefined : fromBase64Url(encoded);
  const payload = bytes === undefined ? undefined : textOf(bytes);
  if (payload === undefined || signature === undefined) return undefined;
  return { payload, signature };
}
