import { err, ok, type Result } from '../base/result.ts';
import type { Refusal } from './update-guard.ts';

/** What an update claims, read without Yjs. */
export interface UpdateScan {
  readonly clients: readonly ClientScan[];
  readonly deletions: readonly DeletionScan[];
}

/** Structs of one client, without gaps. */
export interface ClientScan {
  readonly client: number;
  readonly from: number;
  /** The clock after the last. */
  readonly to: number;
  readonly structs: number;
}

export interface DeletionScan {
  readonly client: number;
  readonly from: number;
  readonly to: number;
}

export function scanUpdate(
  update: Uint8Array,
  options: { readonly bytesMax: number; readonly root: string | null },
): Result<UpdateScan, Refusal> {
  if (update.length > options.bytesMax)
    return err({ reason: 'too-large', why: `An update may have ${options.bytesMax} bytes at most.` });
  return ok({ clients: [], deletions: [] });
}
