import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../src/base/clock.ts';
import type { HomeId } from '../src/model/ids.ts';
import type { Admission, AdmitToken } from './options.ts';

/** Whom the relay serves. */
export class Door {
  readonly open: boolean;
  readonly #homes: ReadonlySet<string>;
  readonly #tokens: readonly { readonly token: AdmitToken; readonly hash: Uint8Array }[];
  readonly #clock: Clock;

  constructor({ homes, open, tokens }: Admission, clock: Clock) {
    this.open = open;
    this.#homes = new Set(homes);
    this.#tokens = tokens.map((token) => ({ token, hash: hashOf(token.token) }));
    this.#clock = clock;
  }

  /** The token that was shown, while it is good. Compared by hash, so that time tells nothing of its characters. */
  token(shown: string): AdmitToken | undefined {
    const hash = hashOf(shown);
    const found = this.#tokens.find((each) => timingSafeEqual(each.hash, hash))?.token;
    return found !== undefined && this.#isGood(found) ? found : undefined;
  }

  /** May this home use the relay? `admittedBy`: the nickname of the token it showed once. */
  admits(home: HomeId, admittedBy: string | undefined): boolean {
    if (this.open || this.#homes.has(home)) return true;
    return admittedBy !== undefined && this.tokenNamed(admittedBy) !== undefined;
  }

  /** A home that needs no token is bounded by none. */
  isListed(home: HomeId): boolean {
    return this.#homes.has(home);
  }

  tokenNamed(nickname: string): AdmitToken | undefined {
    return this.#tokens.find(({ token }) => token.nickname === nickname && this.#isGood(token))?.token;
  }

  #isGood(token: AdmitToken): boolean {
    return token.expiresMs === undefined || this.#clock.nowMs() < token.expiresMs;
  }
}

/** May a stock client that shows this token open this room, which belongs to no home? */
export function coversRoom({ rooms }: AdmitToken, name: string): boolean {
  if (rooms === undefined) return true;
  return rooms.some((room) => (room.endsWith('*') ? name.startsWith(room.slice(0, -1)) : name === room));
}

function hashOf(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
