import fs, { constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { hasErrno } from './errno.ts';

/** Stands for the branch that a folder is on, among what an action expects of the world. */
export const BRANCH_RESOURCE = 'git:HEAD';

const LIMITS = {
  /** Bytes of a `HEAD` or a `.git` file that are read: a path, or the name of a branch. */
  pointerBytesMax: 8 * 1024,
  /** Folders above the workspace in which a `.git` is looked for: deeper than any path a system takes. */
  foldersMax: 256,
} as const;

/** Opening must not wait for the writer of a FIFO, and nothing is followed. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * The branch a folder is on, `refs/heads/main`, or `detached:` and the commit; `undefined` outside of git, and where git
 * keeps it otherwise than in `HEAD`. One small read of git's own files, without git; nothing is written.
 */
export function branchOf(root: string): string | undefined {
  const gitFolder = findGitFolder(root);
  return gitFolder === undefined ? undefined : headOf(gitFolder);
}

/** What people call it. */
export function branchName(head: string): string {
  if (head.startsWith('detached:')) return `commit ${head.slice('detached:'.length).slice(0, 12)}`;
  return head.replace(/^refs\/heads\//u, '');
}

/** `.git` of this folder or the nearest one above it, as git looks for it; a file says where it really is. */
function findGitFolder(root: string): string | undefined {
  let folder = root;
  for (let looked = 0; looked < LIMITS.foldersMax; looked++) {
    const found = gitFolderAt(folder);
    if (found !== undefined) return found;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}

function gitFolderAt(folder: string): string | undefined {
  const path = join(folder, '.git');
  const stats = orUndefined(() => fs.statSync(path, { throwIfNoEntry: false }));
  if (stats?.isDirectory() === true) return path;
  if (stats?.isFile() !== true) return undefined;
  // A worktree or a submodule.
  const to = /^gitdir: (.+?)\r?\n?$/u.exec(readPointer(path) ?? '')?.[1];
  return to === undefined ? undefined : resolve(folder, to);
}

function headOf(gitFolder: string): string | undefined {
  const path = join(gitFolder, 'HEAD');
  // Old repositories have a link there.
  const text = readPointer(path) ?? linkedHead(path);
  const branch = /^ref: (refs\/[^\s\p{C}]{1,500})\s*$/u.exec(text ?? '')?.[1];
  // With the newer kind of storage this is all that HEAD ever says.
  if (branch === 'refs/heads/.invalid') return undefined;
  if (branch !== undefined) return branch;
  const commit = /^([0-9a-f]{40}(?:[0-9a-f]{24})?)\s*$/u.exec(text ?? '')?.[1];
  return commit === undefined ? undefined : `detached:${commit}`;
}

function linkedHead(path: string): string | undefined {
  const target = orUndefined(() => fs.readlinkSync(path));
  return target === undefined ? undefined : `ref: ${target}`;
}

/** The text of a small regular file; `undefined` for anything else. */
function readPointer(path: string): string | undefined {
  const fd = orUndefined(() => fs.openSync(path, READ_FLAGS));
  if (fd === undefined) return undefined;
  try {
    if (!fs.fstatSync(fd).isFile()) return undefined;
    const bytes = Buffer.alloc(LIMITS.pointerBytesMax);
    return bytes.toString('utf8', 0, fs.readSync(fd, bytes));
  } finally {
    fs.closeSync(fd);
  }
}

/** Whatever is not there, or may not be looked at, is no git folder of this workspace. */
function orUndefined<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'EINVAL', 'EACCES', 'EPERM', 'ENXIO', 'ENAMETOOLONG'))
      return undefined;
    throw error;
  }
}
