/**
 * Every operational failure by code, with what it says about the world and whether code may try again.
 * `effect: 'unknown'` is never retried by code: a person looks.
 */
export const ERROR_TABLE = {
  'bad-input': { effect: 'none', retry: 'never' },
  'not-found': { effect: 'none', retry: 'never' },
  denied: { effect: 'none', retry: 'never' },
  stale: { effect: 'none', retry: 'never' },
  full: { effect: 'none', retry: 'later' },
  busy: { effect: 'none', retry: 'later' },
  closed: { effect: 'none', retry: 'later' },
  'held-elsewhere': { effect: 'none', retry: 'later' },
  'too-new': { effect: 'none', retry: 'never' },
  quarantined: { effect: 'none', retry: 'never' },
  storage: { effect: 'unknown', retry: 'never' },
  'effect-unknown': { effect: 'unknown', retry: 'never' },
} as const satisfies Record<string, { effect: Effect; retry: 'never' | 'later' }>;

export type Effect = 'none' | 'applied' | 'unknown';
export type ErrorCode = keyof typeof ERROR_TABLE;

/** An operational failure. `message` is one sentence a person can act on. */
export class CountersignError extends Error {
  override readonly name = 'CountersignError';
  readonly code: ErrorCode;
  readonly effect: Effect;

  constructor(code: ErrorCode, message: string, options: { readonly cause?: unknown; readonly effect?: Effect } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.effect = options.effect ?? ERROR_TABLE[code].effect;
  }

  static is(value: unknown): value is CountersignError {
    return value instanceof CountersignError;
  }
}

/** What went wrong, as text, whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
