/** SHA-256 of the bytes, 32 bytes. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** An Ed25519 key that signs. Shape: 32-byte public key, 64-byte signatures. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

/** Ed25519 verification; `false` for anything malformed. */
export type Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

export interface Crypto {
  readonly sha256: Sha256;
  readonly verify: Verify;
}
