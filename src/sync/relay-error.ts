import { CountersignError, type ErrorCode } from '../base/errors.ts';
import { CLOSE_CODES, type CloseReason } from './close-codes.ts';
import { sentenceOf, type EndReason } from './next-attempt.ts';

/** Why a relay could not be used: the cause of an error that says so, with what was thrown below it. */
class RelayTrouble {
  readonly reason: EndReason;
  readonly thrown: unknown;

  constructor(reason: EndReason, thrown: unknown) {
    this.reason = reason;
    this.thrown = thrown;
  }
}

/** Why the relay could not be used, if that is what this error says. */
export function relayReasonOf(thrown: unknown): EndReason | undefined {
  return CountersignError.is(thrown) && thrown.cause instanceof RelayTrouble ? thrown.cause.reason : undefined;
}

export function isNotFound(thrown: unknown): boolean {
  return CountersignError.is(thrown) && thrown.code === 'not-found';
}

/** A relay that could not be reached or said no. What it wrote itself is not repeated: a relay is not trusted. */
function relayError(code: ErrorCode, reason: EndReason, message: string, thrown?: unknown): CountersignError {
  return new CountersignError(code, message, { cause: new RelayTrouble(reason, thrown) });
}

/** No answer, or one that is none: the network, or a relay that restarts. */
export function unreachable(what: string, thrown?: unknown): CountersignError {
  return relayError('closed', 'unreachable', what, thrown);
}

/** An answer that is not what was agreed on. Asking again can help: a proxy may have answered. */
export function notUnderstood(what: string): CountersignError {
  return relayError('closed', 'unreachable', what);
}

/** What a status of the relay's HTTP means; `undefined` for one that is no refusal. */
export function refusalOf(status: number): CountersignError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const known = STATUS[status];
  if (known !== undefined) return relayError(known.code, known.reason, `${sentenceOf(known.reason)} (${status})`);
  if (status >= 500) return unreachable(`The relay has trouble of its own (${status}).`);
  return relayError('bad-input', 'malformed', `${CLOSE_CODES.malformed.sentence} (${status})`);
}

const STATUS: Readonly<Record<number, { readonly code: ErrorCode; readonly reason: CloseReason }>> = {
  401: { code: 'denied', reason: 'unauthenticated' },
  403: { code: 'denied', reason: 'forbidden' },
  404: { code: 'not-found', reason: 'gone' },
  408: { code: 'busy', reason: 'slow' },
  409: { code: 'stale', reason: 'replaced' },
  410: { code: 'not-found', reason: 'gone' },
  413: { code: 'bad-input', reason: 'too-large' },
  429: { code: 'busy', reason: 'too-fast' },
  507: { code: 'full', reason: 'full' },
};
