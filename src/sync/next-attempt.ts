import type { Random } from '../base/random.ts';
import { pauseMs, type Pauses } from './backoff.ts';
import { CLOSE_CODES, closeReasonOf, type CloseReason } from './close-codes.ts';

/** Why a connection ended or never came about: the relay's word, none of it, or what it sent made no sense. */
export type EndReason = CloseReason | 'unreachable' | 'garbled';

/** Codes with which this side ends a socket, as if the relay had. They never travel. */
export const LOCAL_CODES = { unreachable: 1006, garbled: 4999 } as const;

/** A code that is nobody's is the network's: a relay that restarts, a proxy, a laptop that slept. */
export function endReasonOf(code: number): EndReason {
  return code === LOCAL_CODES.garbled ? 'garbled' : (closeReasonOf(code) ?? 'unreachable');
}

/** Endings of each kind since the last connection that lasted. */
export type Endings = Readonly<Partial<Record<EndReason, number>>>;

export type NextAttempt =
  /** Connect after the pause; 0 is now. */
  | { readonly next: 'connect'; readonly pauseMs: number }
  /** Ask the head where the document is, after the pause. */
  | { readonly next: 'ask-head'; readonly pauseMs: number }
  | { readonly next: 'stop' };

export const PAUSES = {
  /** A relay that restarts is back within a second; a laptop that wakes up is online within fifteen. */
  unreachable: { firstMs: 300, longestMs: 15_000 },
  /** What the relay said on purpose seldom changes within seconds. */
  refused: { firstMs: 1_000, longestMs: 60_000 },
  /** The home goes on after what makes a device stop, slowly: nobody may sit beside it. */
  never: { firstMs: 30_000, longestMs: 60_000 },
} as const satisfies Record<string, Pauses>;

/** What to do after an ending, and the endings with this one counted. `tireless`: never stops for good. */
export function planAttempt(
  endings: Endings,
  reason: EndReason,
  by: { readonly tireless: boolean; readonly random: Random },
): { readonly endings: Endings; readonly plan: NextAttempt } {
  const times = (endings[reason] ?? 0) + 1;
  return { endings: { ...endings, [reason]: times }, plan: planFor(reason, times, by) };
}

function planFor(
  reason: EndReason,
  times: number,
  { random, tireless }: { readonly tireless: boolean; readonly random: Random },
): NextAttempt {
  if (reason === 'unreachable') return { next: 'connect', pauseMs: pauseMs(PAUSES.unreachable, times, random) };
  if (reason === 'garbled') return { next: 'connect', pauseMs: pauseMs(PAUSES.refused, times, random) };
  const onceAtOnce = times === 1 ? 0 : pauseMs(PAUSES.refused, times - 1, random);
  switch (CLOSE_CODES[reason].next) {
    case 'again':
      return { next: 'connect', pauseMs: onceAtOnce };
    case 'head':
      return { next: 'ask-head', pauseMs: onceAtOnce };
    case 'wait':
      return { next: 'connect', pauseMs: pauseMs(PAUSES.refused, times, random) };
    case 'stop':
      return tireless ? { next: 'connect', pauseMs: pauseMs(PAUSES.never, times, random) } : { next: 'stop' };
  }
}

/** What a person reads about an ending. */
export function sentenceOf(reason: EndReason): string {
  if (reason === 'unreachable') return 'The relay cannot be reached.';
  return reason === 'garbled' ? 'The relay sends what cannot be understood.' : CLOSE_CODES[reason].sentence;
}
