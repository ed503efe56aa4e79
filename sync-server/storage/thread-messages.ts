import type { ErrorCode } from '../../src/base/errors.ts';
import type { Batch } from './sqlite-tables.ts';
import type { StoredHead } from './store.ts';

/** What the thread of the database is asked; one request at a time, answered in order. */
export type ThreadRequest =
  | { readonly do: 'append'; readonly batch: Batch }
  | { readonly do: 'load' | 'drop'; readonly room: string }
  | { readonly do: 'roomsOf'; readonly owner: string }
  | { readonly do: 'compact'; readonly room: string; readonly state: Uint8Array }
  | { readonly do: 'heads' | 'totals' | 'wipe' | 'close' }
  | { readonly do: 'putHead'; readonly head: StoredHead }
  | { readonly do: 'putObject'; readonly path: string; readonly owner: string; readonly bytes: Uint8Array }
  | { readonly do: 'object' | 'dropObject'; readonly path: string };

/** The first answer says whether the database could be opened; then one for each request. */
export type ThreadAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };
