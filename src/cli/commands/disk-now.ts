import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '../../base/bytes.ts';
import type { ActionContent } from '../../model/content.ts';
import { changesOf } from '../../model/file-changes.ts';
import type { FileChange, FileSide } from '../../model/file-diff.ts';
import { codeOf } from '../state/node-errors.ts';

/** Bytes of a file that are read to be shown beside the agent's version. */
const SHOWN_BYTES_MAX = 16 * 1024 * 1024;
/** Bytes of the person's text an agent is given with the question what to do: a reason may have 8 KiB in all. */
const TOLD_BYTES_MAX = 6 * 1024;

/** The changes of an action in conflict, each from the file as it is on disk now: what a person chooses between. */
export function againstDisk(root: string, changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  return Promise.all(
    changes.map(async (change) => ({ ...change, from: null, before: await diskSide(join(root, change.path)) })),
  );
}

/** The person's own text of the first file of an action, for the agent; empty when there is none to give. */
export async function textOnDisk(root: string, content: ActionContent): Promise<string> {
  const [change] = content.kind.tag.startsWith('file.') ? changesOf(content.effect) : [];
  const side = change === undefined ? null : await diskSide(join(root, change.path));
  const text = side === null || side.bytes.length > TOLD_BYTES_MAX ? undefined : textOf(side.bytes);
  return text === undefined || change === undefined ? '' : `\n${change.path} as it is now:\n${text}`;
}

/** `null` for what is no regular file, is gone, or may not be read: then there is nothing to compare with. */
async function diskSide(path: string): Promise<FileSide | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile() || stat.size > SHOWN_BYTES_MAX) return null;
      return { bytes: await file.readFile(), mode: stat.mode & 0o7777 };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return null;
  }
}
