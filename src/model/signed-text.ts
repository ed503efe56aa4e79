/** Canonical JSON text and the Ed25519 signature over its bytes with their domain, 128 hexadecimal digits. */
export interface SignedText {
  readonly payload: string;
  readonly signature: string;
}
