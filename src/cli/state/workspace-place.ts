import { access, constants, realpath, stat } from 'node:fs/promises';
import { CountersignError } from '../../base/errors.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import { wordsOf } from './node-errors.ts';

/** What tells one folder from another. Numbers are decimal text: inodes pass 2^53 on some file systems. */
export interface FolderIdentity {
  /** Real, absolute path. */
  readonly path: string;
  readonly dev: string;
  readonly ino: string;
  /** Nanoseconds since 1970 at its creation; `0` where the file system does not keep it. */
  readonly born: string;
}

/** A guarded folder, as the home's journal keeps it. */
export interface WorkspaceRecord extends FolderIdentity {
  readonly id: WorkspaceId;
  readonly fence: number;
}

export type Placed =
  | { readonly type: 'new' }
  | { readonly type: 'same' | 'moved' | 'adopted'; readonly record: WorkspaceRecord }
  | { readonly type: 'refused'; readonly why: string };

/** Throws `not-found` or `denied` with one sentence unless `dir` is a folder that can be read and written in. */
export async function identify(dir: string): Promise<FolderIdentity> {
  let path: string;
  try {
    path = await realpath(dir);
    const found = await stat(path, { bigint: true });
    if (!found.isDirectory()) throw new CountersignError('bad-input', `The workspace ${dir} is not a folder.`);
    await access(path, constants.R_OK | constants.X_OK);
    return { path, dev: String(found.dev), ino: String(found.ino), born: String(found.birthtimeNs) };
  } catch (cause) {
    if (CountersignError.is(cause)) throw cause;
    throw new CountersignError('not-found', `The workspace ${dir} cannot be used: ${wordsOf(cause)}.`, { cause });
  }
}

/**
 * Which workspace a folder is. Inodes are used again after a removal and device numbers change at a reboot, so
 * that neither alone says "the same folder": a move is believed only when the creation time agrees, too.
 */
export function place(
  records: readonly WorkspaceRecord[],
  found: FolderIdentity,
  options: { readonly adopt: boolean },
): Placed {
  const here = records.find((record) => record.path === found.path);
  const moved = records.find((record) => record.path !== found.path && sameFolder(record, found));
  if (here !== undefined && sameFolder(here, found)) return { type: 'same', record: { ...here, ...found } };
  if (here !== undefined && moved !== undefined) {
    return {
      type: 'refused',
      why: `${found.path} is the folder that was guarded as ${moved.path}, but another workspace was guarded at this path; move it elsewhere.`,
    };
  }
  if (moved !== undefined) return { type: 'moved', record: { ...moved, ...found } };
  if (here === undefined) return { type: 'new' };
  if (!options.adopt) {
    return {
      type: 'refused',
      why: `${found.path} is not the folder that was guarded there before (it was copied or replaced); run up --adopt to go on with it, earlier approvals are then asked again.`,
    };
  }
  return { type: 'adopted', record: { ...here, ...found, fence: here.fence + 1 } };
}

function sameFolder(record: FolderIdentity, found: FolderIdentity): boolean {
  if (record.ino !== found.ino) return false;
  const sameBirth = record.born === found.born;
  if (record.path === found.path) return record.dev === found.dev || (sameBirth && found.born !== '0');
  return record.dev === found.dev && sameBirth;
}
