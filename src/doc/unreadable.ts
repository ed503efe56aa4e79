import type { Result } from '../base/result.ts';

/** Why a sealed value cannot be read. Each has another remedy, so they are told apart. */
export type Unreadable =
  /** Made by a newer version: this side needs an update. */
  | { readonly reason: 'too-new' }
  /** Sealed with a content key this side has not got: the head has to be read again. */
  | { readonly reason: 'no-key'; readonly keyGen: number }
  /** Nothing an honest writer makes. */
  | { readonly reason: 'damaged'; readonly why: string };

export type Readable<T> = Result<T, Unreadable>;

export function damaged(why: string): { readonly ok: false; readonly error: Unreadable } {
  return { ok: false, error: { reason: 'damaged', why } };
}

export const TOO_NEW: { readonly ok: false; readonly error: Unreadable } = { ok: false, error: { reason: 'too-new' } };

export function noKey(keyGen: number): { readonly ok: false; readonly error: Unreadable } {
  return { ok: false, error: { reason: 'no-key', keyGen } };
}
