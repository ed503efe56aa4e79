import fs, { constants, type BigIntStats, type Dirent } from 'node:fs';
import { CountersignError } from '../../base/errors.ts';
import { hasErrno } from './errno.ts';
import { shown, type RelativePath } from './resource.ts';

/** What stands at a path of the disk, the last name not followed. */
export interface GroundStat {
  readonly kind: GroundKind;
  /** Permission bits, `0o7777`. */
  readonly mode: number;
  readonly bytes: number;
  readonly dev: bigint;
  readonly ino: bigint;
  readonly links: number;
  readonly uid: number;
  readonly gid: number;
  /** A function, because a date costs as much as a whole `lstat` and hardly anybody asks. */
  times(): { readonly created: Date; readonly modified: Date; readonly accessed: Date };
}

export type GroundKind = 'file' | 'dir' | 'link' | 'other';

/** The workspace on disk, to read. Paths are relative; only their last name may be a link. */
export interface Ground {
  readonly root: string;
  stat(path: RelativePath): GroundStat | undefined;
  /** Throws: `not-found`, `denied` when it is no regular file or is reached through a link, `full` past the bound. */
  read(path: RelativePath, bytesMax: number): Uint8Array;
  list(path: RelativePath): readonly { readonly name: string; readonly kind: GroundKind }[];
  readLink(path: RelativePath): string | undefined;
  /** Where an absolute path really is; `undefined` when it leads nowhere. */
  realPath(absolute: string): string | undefined;
}

/** Opening a FIFO must not wait for its writer, nor a terminal become ours. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** A file that is being replaced again and again while we read it. */
const READ_TRIES_MAX = 5;
const FD_PATHS = fs.existsSync('/proc/self/fd');

/** `fs`, called synchronously: a small file is read in less time than a thread pool needs to be asked. */
export function diskGround(root: string): Ground {
  const at = (path: RelativePath): string => (path === '' ? root : root === '/' ? `/${path}` : `${root}/${path}`);
  return {
    root,
    stat: (path) => {
      const stats = absentAsUndefined(() => fs.lstatSync(at(path), { bigint: true }));
      return stats && groundStat(stats);
    },
    read: (path, bytesMax) => readFile(at(path), path, bytesMax),
    list: (path) =>
      (absentAsUndefined(() => fs.readdirSync(at(path), { withFileTypes: true })) ?? []).map((entry) => ({
        name: entry.name,
        kind: kindOf(entry),
      })),
    readLink: (path) => absentAsUndefined(() => fs.readlinkSync(at(path))),
    realPath: (absolute) => absentAsUndefined(() => fs.realpathSync.native(absolute)),
  };
}

export function groundStat(stats: BigIntStats): GroundStat {
  return {
    kind: kindOf(stats),
    mode: Number(stats.mode & 0o7777n),
    bytes: Number(stats.size),
    dev: stats.dev,
    ino: stats.ino,
    links: Number(stats.nlink),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    times: () => ({ created: stats.birthtime, modified: stats.mtime, accessed: stats.atime }),
  };
}

function kindOf(entry: BigIntStats | Dirent): GroundKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'dir';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** ELOOP and ENOTDIR: a folder on the way was replaced after it was looked at, so the path leads nowhere now. */
function absentAsUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENAMETOOLONG')) return undefined;
    if (hasErrno(error, 'EACCES', 'EPERM'))
      throw new CountersignError('denied', 'The operating system does not let Countersign read this path.', {
        cause: error,
      });
    throw error;
  }
}

function readFile(absolute: string, path: RelativePath, bytesMax: number): Uint8Array {
  for (let attempt = 0; attempt < READ_TRIES_MAX; attempt++) {
    const bytes = readOnce(absolute, path, bytesMax);
    if (bytes !== undefined) return bytes;
  }
  throw new CountersignError('busy', `${shown(path)} keeps being replaced; read it again.`);
}

/** `undefined` when the file was replaced between opening it and asking where it is. */
function readOnce(absolute: string, path: RelativePath, bytesMax: number): Uint8Array | undefined {
  const fd = absentAsUndefined(() => fs.openSync(absolute, READ_FLAGS));
  if (fd === undefined) throw new CountersignError('not-found', `${shown(path)} does not exist.`);
  try {
    const stats = fs.fstatSync(fd);
    if (!stats.isFile()) throw new CountersignError('denied', `${shown(path)} is not a regular file.`);
    if (stats.size > bytesMax)
      throw new CountersignError('full', `${shown(path)} has ${stats.size} bytes; at most ${bytesMax} can be read.`);
    if (FD_PATHS) {
      const opened = fs.readlinkSync(`/proc/self/fd/${fd}`);
      if (opened !== absolute) {
        if (opened.endsWith(' (deleted)')) return undefined;
        throw new CountersignError('denied', `${shown(path)} was moved or became a link while it was read.`);
      }
    }
    return fs.readFileSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}
