/** SHA-256 of the bytes, 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** HMAC-SHA-256 (RFC 2104), 32 bytes. */
export type Hmac = (key: Uint8Array, bytes: Uint8Array) => Uint8Array;

/** An Ed25519 key that signs. Shape: 32-byte public key, 64-byte signatures. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** A key that signs in its own time: one that WebCrypto keeps and never shows. */
export interface SlowSigner {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Promise<Uint8Array>;
}

/** Ed25519 verification; `false` for anything malformed. */
export type Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** XChaCha20-Poly1305. Shape: 32-byte key, 24-byte nonce; sealed is as long as plain and a 16-byte tag. */
export interface Seal {
  seal(lock: Lock, plain: Uint8Array): Uint8Array;
  /** `undefined` when key, nonce, associated data or bytes are not those it was sealed with. */
  open(lock: Lock, sealed: Uint8Array): Uint8Array | undefined;
}

export interface Lock {
  readonly key: Uint8Array;
  readonly nonce: Uint8Array;
  /** What the sealed bytes belong to. It is not in them, and they open with nothing else. */
  readonly aad: Uint8Array;
}

/** An X25519 key. Shape: 32-byte public keys and secrets. */
export interface Agreement {
  readonly publicKey: Uint8Array;
  /** The secret shared with whoever has the other half; `undefined` for a public key that gives none (small order). */
  agree(publicKey: Uint8Array): Promise<Uint8Array | undefined>;
}

/** Makes X25519 keys from 32 secret bytes. */
export type MakeAgreement = (secret: Uint8Array) => Agreement;

export interface Crypto {
  readonly sha256: Sha256;
  readonly hmac: Hmac;
  readonly verify: Verify;
  readonly seal: Seal;
  readonly agreement: MakeAgreement;
}
