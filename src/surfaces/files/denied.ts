import fs, { type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import { hasErrno } from './errno.ts';
import { FILE_LIMITS } from './limits.ts';
import { isWithin, shown, type RelativePath } from './resource.ts';
import { folded } from './spelling.ts';

/** Folders no agent may reach, whatever they are called: Countersign's own state. */
export interface DeniedFolders {
  /** True when the path is, or is spelled like, a denied folder or something in one. */
  isSpelled(path: RelativePath): boolean;
  /** Throws `denied` when `isSpelled`. */
  checkPath(path: RelativePath): void;
  /** Throws `denied` when this folder is a denied one reached another way: a bind mount, a renamed parent. */
  checkFolder(stat: Identity, path: RelativePath): void;
  /** Throws `denied` when this file is another name of a file in a denied folder. */
  checkFile(stat: Identity & { readonly links: number }, path: RelativePath): void;
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** What is known of the folders is looked up again for every tool call: they may be made or moved at any time. */
export function deniedFolders(root: string, folders: readonly string[]): () => DeniedFolders {
  const spelled = spelledInside(root, folders);
  const isSpelled = (path: RelativePath): boolean => {
    if (spelled.length === 0) return false;
    const spelling = folded(path);
    return spelled.some((folder) => isWithin(spelling, folder));
  };
  const known = new Set<string>();
  return () => {
    for (const folder of folders) {
      const stats = statOf(folder);
      if (stats !== undefined) known.add(keyOf(stats));
    }
    let files: ReadonlySet<string> | 'too-many' | undefined;
    return {
      isSpelled,
      checkPath(path) {
        if (isSpelled(path)) throw refusal(path);
      },
      checkFolder(stat, path) {
        if (known.has(keyOf(stat))) throw refusal(path);
      },
      checkFile(stat, path) {
        if (stat.links < 2) return;
        files ??= filesIn(folders);
        if (files === 'too-many' || files.has(keyOf(stat))) throw refusal(path);
      },
    };
  };
}

/** Denied folders as folded paths from the workspace folder: those inside it, or `''` when it lies in one of them. */
function spelledInside(root: string, folders: readonly string[]): readonly RelativePath[] {
  const base = folded(root);
  const whole = new Set(folders.flatMap((folder) => [folded(folder), folded(realPathOf(folder))]));
  return [...whole].flatMap((folder) => {
    if (isWithin(base, folder)) return [''];
    return isWithin(folder, base) ? [base === '' ? folder : folder.slice(base.length + 1)] : [];
  });
}

function refusal(path: RelativePath): CountersignError {
  return new CountersignError('denied', `${shown(path)} belongs to Countersign's own state, which no tool may touch.`);
}

function keyOf(stat: Identity): string {
  return `${stat.dev}:${stat.ino}`;
}

function realPathOf(folder: string): string {
  try {
    return fs.realpathSync.native(folder);
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return folder;
    throw error;
  }
}

function statOf(path: string): BigIntStats | undefined {
  return fs.statSync(path, { bigint: true, throwIfNoEntry: false });
}

function filesIn(folders: readonly string[]): ReadonlySet<string> | 'too-many' {
  const found = new Set<string>();
  const open = [...folders];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      const stats = fs.lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats !== undefined) found.add(keyOf(stats));
      if (found.size > FILE_LIMITS.deniedScanMax) return 'too-many';
    }
  }
  return found;
}

function entriesOf(folder: string): readonly fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Not made yet, or gone since its parent was listed.
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
