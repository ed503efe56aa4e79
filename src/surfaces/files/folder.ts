import { constants } from 'node:fs';
import { CountersignError } from '../../base/errors.ts';
import type { DeniedFolders } from './denied.ts';
import type { Disk } from './disk.ts';
import { hasErrno } from './errno.ts';
import { groundStat, type GroundStat } from './ground.ts';
import { join, namesOf, shown, type RelativePath } from './resource.ts';

/** Where effects happen. `viaDescriptors`: folders are walked and held by descriptor, so no link is ever followed. */
export interface Site {
  readonly root: string;
  readonly disk: Disk;
  readonly denied: DeniedFolders;
  readonly viaDescriptors: boolean;
}

/** An open folder of the workspace, reached without following a link. Close it. */
export interface Folder {
  readonly path: RelativePath;
  /** A path for system calls on one name in exactly this folder. */
  at(name: string): string;
  /** What stands under a name, not followed. */
  stat(name: string): GroundStat | undefined;
  names(): readonly string[];
  enter(name: string): Folder;
  /** Throws `stale` when the folder is no longer where it was opened. */
  confirm(): void;
  setMode(mode: number): void;
  /** Makes the names in it durable. */
  sync(): void;
  close(): void;
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Opens a folder for the length of `use`. */
export function inFolder<T>(site: Site, path: RelativePath, use: (folder: Folder) => T): T {
  const folder = openFolder(site, path);
  try {
    return use(folder);
  } finally {
    folder.close();
  }
}

/**
 * Opens a folder name by name from the workspace folder.
 *
 * Throws: `stale` when a name is missing; `denied` for a link, for what is no folder, and for a denied folder.
 */
function openFolder(site: Site, path: RelativePath): Folder {
  let folder = open(site, site.root, '');
  for (const name of namesOf(path)) {
    try {
      const next = folder.enter(name);
      folder.close();
      folder = next;
    } catch (error) {
      folder.close();
      throw error;
    }
  }
  return folder;
}

function open(site: Site, location: string, path: RelativePath): Folder {
  const { disk } = site;
  const fd = openDescriptor(disk, location, path);
  try {
    const stat = groundStat(disk.fstatSync(fd, { bigint: true }));
    site.denied.checkPath(path);
    site.denied.checkFolder(stat, path);
    return handle(site, fd, stat, path);
  } catch (error) {
    disk.closeSync(fd);
    throw error;
  }
}

function handle(site: Site, fd: number, opened: GroundStat, path: RelativePath): Folder {
  const { disk } = site;
  const absolute = path === '' ? site.root : site.root === '/' ? `/${path}` : `${site.root}/${path}`;
  const base = site.viaDescriptors ? `/proc/self/fd/${fd}` : absolute;
  const at = (name: string): string => `${base}/${name}`;
  return {
    path,
    at,
    stat: (name) => {
      const stats = disk.lstatSync(at(name), { bigint: true, throwIfNoEntry: false });
      return stats && groundStat(stats);
    },
    names: () => disk.readdirSync(base),
    enter: (name) => open(site, at(name), join(path, name)),
    confirm: () => {
      const there = site.viaDescriptors
        ? disk.readlinkSync(base) === absolute
        : isSame(opened, openedAgain(site, path));
      if (!there) throw new CountersignError('stale', `${shown(path)} was moved while the change was being made.`);
    },
    setMode: (mode) => disk.fchmodSync(fd, mode),
    sync: () => disk.fsyncSync(fd),
    close: () => disk.closeSync(fd),
  };
}

/** Without descriptors the walk is repeated: what is changed between it and the next call is not noticed. */
function openedAgain(site: Site, path: RelativePath): GroundStat | undefined {
  let at = site.root;
  let stat: GroundStat | undefined;
  for (const name of ['', ...namesOf(path)]) {
    at = name === '' ? at : `${at}/${name}`;
    const stats = site.disk.lstatSync(at, { bigint: true, throwIfNoEntry: false });
    stat = stats && groundStat(stats);
    if (stat?.kind !== 'dir') return undefined;
  }
  return stat;
}

function isSame(a: GroundStat, b: GroundStat | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function openDescriptor(disk: Disk, location: string, path: RelativePath): number {
  try {
    return disk.openSync(location, FOLDER_FLAGS);
  } catch (error) {
    if (hasErrno(error, 'ENOENT'))
      throw new CountersignError('stale', `${shown(path)} no longer exists.`, { cause: error });
    if (hasErrno(error, 'ENOTDIR', 'ELOOP'))
      throw new CountersignError(
        'denied',
        `${shown(path)} is now a symbolic link or no folder; nothing is changed through it.`,
        {
          cause: error,
        },
      );
    throw error;
  }
}
