import { concat, utf8 } from '../base/bytes.ts';
import type { Agreement, Crypto, Lock } from './ports.ts';

type BoxCrypto = Pick<Crypto, 'hmac' | 'seal' | 'agreement'>;

const KEY_BYTES = 32;
/** A key that seals once needs no nonce of its own. */
const NONCE = new Uint8Array(24);
const PREFIX = utf8('countersign box|1\n');

/**
 * Bytes that only the holder of an X25519 key can read: `ephemeral public key ‖ sealed`, 48 bytes longer than plain.
 * `context` is what they belong to, and must be the same at opening. `once`: 32 secret bytes, never used again.
 * `undefined` for a public key with which no secret can be shared.
 */
export async function sealBox(
  crypto: BoxCrypto,
  to: { readonly publicKey: Uint8Array; readonly context: Uint8Array; readonly once: Uint8Array },
  plain: Uint8Array,
): Promise<Uint8Array | undefined> {
  const ephemeral = crypto.agreement(to.once);
  const shared = await ephemeral.agree(to.publicKey);
  if (shared === undefined) return undefined;
  const lock = lockOf(crypto, { shared, ephemeral: ephemeral.publicKey, to: to.publicKey, context: to.context });
  return concat(ephemeral.publicKey, crypto.seal.seal(lock, plain));
}

/** What was sealed for this key in this context; `undefined` for anything else. */
export async function openBox(
  crypto: BoxCrypto,
  own: Agreement,
  context: Uint8Array,
  box: Uint8Array,
): Promise<Uint8Array | undefined> {
  const ephemeral = box.slice(0, KEY_BYTES);
  const shared = ephemeral.length === KEY_BYTES ? await own.agree(ephemeral) : undefined;
  if (shared === undefined) return undefined;
  const lock = lockOf(crypto, { shared, ephemeral, to: own.publicKey, context });
  return crypto.seal.open(lock, box.slice(KEY_BYTES));
}

/** HKDF (RFC 5869) of one block: the secret is extracted with the prefix as salt, expanded over both public keys. */
function lockOf(
  { hmac }: BoxCrypto,
  of: {
    readonly shared: Uint8Array;
    readonly ephemeral: Uint8Array;
    readonly to: Uint8Array;
    readonly context: Uint8Array;
  },
): Lock {
  const extracted = hmac(PREFIX, of.shared);
  const key = hmac(extracted, concat(of.ephemeral, of.to, Uint8Array.of(1)));
  return { key, nonce: NONCE, aad: of.context };
}
