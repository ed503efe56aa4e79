import type { AdmitToken } from './options.ts';
import type { RelayLimits } from './limits.ts';
import type { Door } from './admission.ts';

/** Who pays for rooms that belong to no home and were made by strangers. */
export const NOBODY = '-';

/** Who pays for a free room that a token's holder made. */
export function tokenOwner({ nickname }: AdmitToken): string {
  return `token:${nickname}`;
}

/** Bytes stored, by owner; several owners may share one bound, that of the token they were admitted by. */
export class Quota {
  readonly #bytes: Map<string, number>;
  readonly #limits: Pick<RelayLimits, 'homeBytesMax' | 'freeBytesMax'>;
  readonly #door: Door;
  readonly #admittedBy: (owner: string) => string | undefined;

  constructor(parts: {
    readonly totals: ReadonlyMap<string, number>;
    readonly limits: Pick<RelayLimits, 'homeBytesMax' | 'freeBytesMax'>;
    readonly door: Door;
    /** The nickname of the token that an owner was admitted by. */
    readonly admittedBy: (owner: string) => string | undefined;
  }) {
    this.#bytes = new Map(parts.totals);
    this.#limits = parts.limits;
    this.#door = parts.door;
    this.#admittedBy = parts.admittedBy;
  }

  /** Is there room for so many bytes more? */
  allows(owner: string, bytes: number): boolean {
    const nickname = this.#nicknameOf(owner);
    const token = nickname === undefined ? undefined : this.#door.tokenNamed(nickname);
    if (token?.bytes !== undefined) return this.#storedUnder(token.nickname) + bytes <= token.bytes;
    const max = owner === NOBODY ? this.#limits.freeBytesMax : this.#limits.homeBytesMax;
    return this.of(owner) + bytes <= max;
  }

  /** Counts bytes that were stored, or (below zero) set free. */
  add(owner: string, bytes: number): void {
    this.#bytes.set(owner, Math.max(0, this.of(owner) + bytes));
  }

  of(owner: string): number {
    return this.#bytes.get(owner) ?? 0;
  }

  total(): number {
    let sum = 0;
    for (const bytes of this.#bytes.values()) sum += bytes;
    return sum;
  }

  #storedUnder(nickname: string): number {
    let sum = 0;
    for (const [owner, bytes] of this.#bytes) if (this.#nicknameOf(owner) === nickname) sum += bytes;
    return sum;
  }

  #nicknameOf(owner: string): string | undefined {
    return owner.startsWith('token:') ? owner.slice('token:'.length) : this.#admittedBy(owner);
  }
}
