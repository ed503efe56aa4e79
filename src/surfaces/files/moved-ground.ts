import fs from 'node:fs';
import type { GroundPort, GroundStamp } from '../../authority/ports.ts';
import { BRANCH_RESOURCE, branchName } from './branch.ts';
import type { FilesContext } from './context.ts';
import { hasErrno } from './errno.ts';
import { parentOf, pathOf, resourceOf, type RelativePath } from './resource.ts';

/** The workspace folder as a world that moves as a whole: with its branch, or file by file within a moment. */
export function filesGround({ branch, ground }: FilesContext): GroundPort {
  return {
    resource: BRANCH_RESOURCE,
    now: branch,
    nameOf: branchName,
    stamp: (resource) => {
      const path = pathOf(resource);
      return resourceOf(path) === resource ? stampOf(ground.root, path) : undefined;
    },
  };
}

/** Of what is gone the folder tells: its names changed when this one went. */
function stampOf(root: string, path: RelativePath): GroundStamp {
  const stats = statOf(path === '' ? root : `${root}/${path}`);
  if (stats !== undefined) return { atMs: Number(stats.ctimeNs / 1_000_000n), mark: `${stats.ino}:${stats.ctimeNs}` };
  if (path === '') return { atMs: 0, mark: 'gone' };
  const { atMs } = stampOf(root, parentOf(path));
  return { atMs, mark: 'gone' };
}

function statOf(path: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // What cannot be looked at is met again, and in words, by whoever applies something there.
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG')) return undefined;
    throw error;
  }
}
