import { CountersignError, type ErrorCode } from '../base/errors.ts';
import { CLOSE_CODES, type CloseReason } from './close-codes.ts';
import { sentenceOf, type EndReason } from './next-attempt.ts';

/** A relay that could not be reached or said no. What it wrote itself is not repeated: a relay is not trusted. */
export class RelayError extends CountersignError {
  readonly reason: EndReason;

  constructor(code: ErrorCode, reason: EndReason, message: string, options: { readonly cause?: unknown } = {}) {
    super(code, message, options);
    this.reason = reason;
  }

  static of(value: unknown): RelayError | undefined {
    return value instanceof RelayError ? value : undefined;
  }
}

/** No answer, or one that is none: the network, or a relay that restarts. */
export function unreachable(what: string, cause?: unknown): RelayError {
  return new RelayError('closed', 'unreachable', what, cause === undefined ? {} : { cause });
}

/** An answer that is not what was agreed on. Asking again can help: a proxy may have answered. */
export function notUnderstood(what: string): RelayError {
  return new RelayError('closed', 'unreachable', what);
}

/** What a status of the relay's HTTP means; `undefined` for one that is no refusal. */
export function refusalOf(status: number): RelayError | undefined {
  if (status >= 200 && status < 300) return undefined;
  const known = STATUS[status];
  if (known !== undefined) return new RelayError(known.code, known.reason, `${sentenceOf(known.reason)} (${status})`);
  if (status >= 500) return unreachable(`The relay has trouble of its own (${status}).`);
  return new RelayError('bad-input', 'malformed', `${CLOSE_CODES.malformed.sentence} (${status})`);
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
