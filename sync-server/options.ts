import type { Logger } from 'pino';
import type { Clock } from '../src/base/clock.ts';
import type { Random } from '../src/base/random.ts';
import type { Crypto } from '../src/crypto/ports.ts';
import type { HomeId } from '../src/model/ids.ts';
import type { RelayLimits } from './limits.ts';
import type { RelayStore } from './storage/store.ts';

/** Whom a relay serves. Nobody, unless one of the three says so. */
export interface Admission {
  /** Every home, and everybody without a proof in rooms that belong to no home. */
  readonly open: boolean;
  /** These homes and their devices. */
  readonly homes: readonly HomeId[];
  /** Who shows one of these: a home, which brings its devices, or a stock client in rooms that belong to no home. */
  readonly tokens: readonly AdmitToken[];
}

export interface AdmitToken {
  /** The secret, 16 to 256 characters that need no quoting in a header. */
  readonly token: string;
  /** What logs call whoever shows it. */
  readonly nickname: string;
  /** Rooms a stock client may open: names, or beginnings that end in `*`. Absent: every room that belongs to no home. */
  readonly rooms?: readonly string[];
  /** Bytes stored under it, over all its rooms and homes. Absent: the relay's own bound. */
  readonly bytes?: number;
  readonly expiresMs?: number;
}

export interface RelayOptions {
  /** Owned by the relay from now on: it closes it. */
  readonly store: RelayStore;
  readonly admission: Admission;
  /**
   * The WebSocket origins this relay answers to, exactly: `ws://localhost:4420`. A proof must name one of them, and a
   * request whose `Host` is none of theirs is refused. A port must be known before the relay is opened.
   */
  readonly origins: readonly string[];
  /** Origins of pages that may ask: `http://localhost:4420`. Programs send no `Origin` and are not concerned. */
  readonly pageOrigins: readonly string[];
  /** Called once, when the disk failed: nothing is acknowledged any more, and the process has to end. */
  readonly onFatal: (cause: unknown) => void;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly crypto?: Crypto;
  /** Bounds that differ from `RELAY_LIMITS`. */
  readonly limits?: Partial<RelayLimits>;
}
