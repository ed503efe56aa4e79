import { timingSafeEqual } from 'node:crypto';
import { fromBase64Url, toBase64Url } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import type { Sha256 } from '../../crypto/ports.ts';
import type { Right } from '../../model/decision.ts';

export const LINK_LIMITS = {
  /** Links that were printed and not used. A person opens the newest; the oldest makes room. */
  unusedMax: 16,
  /** Bytes of a secret: 128 bits, so that nobody finds one by asking. */
  secretBytes: 16,
} as const;

interface Link {
  readonly digest: Uint8Array;
  readonly right: Right;
}

/**
 * The one-use links that make a browser of this machine a device. They live in memory only: a home that was started
 * again prints new ones.
 */
export class PanelLinks {
  readonly #random: Random;
  readonly #sha256: Sha256;
  #unused: readonly Link[] = [];

  constructor(ports: { readonly random: Random; readonly sha256: Sha256 }) {
    this.#random = ports.random;
    this.#sha256 = ports.sha256;
  }

  /** A new secret, base64url. Whoever brings it back first becomes a device of this right. */
  mint(right: Right): string {
    const secret = this.#random.bytes(LINK_LIMITS.secretBytes);
    const link = { digest: this.#sha256(secret), right };
    this.#unused = [...this.#unused, link].slice(-LINK_LIMITS.unusedMax);
    return toBase64Url(secret);
  }

  /** Uses a link up; `undefined` for one that is spent or was never printed. Digests are compared in constant time. */
  take(secret: string): { readonly right: Right; readonly giveBack: () => void } | undefined {
    const bytes = fromBase64Url(secret);
    if (bytes?.length !== LINK_LIMITS.secretBytes) return undefined;
    const digest = this.#sha256(bytes);
    const found = this.#unused.findLast((link) => timingSafeEqual(link.digest, digest));
    if (found === undefined) return undefined;
    this.#unused = this.#unused.filter((link) => link !== found);
    const giveBack = (): void => {
      this.#unused = [...this.#unused, found].slice(-LINK_LIMITS.unusedMax);
    };
    return { right: found.right, giveBack };
  }
}
