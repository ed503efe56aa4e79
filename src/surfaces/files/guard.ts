import fs from 'node:fs';
import { posix } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import type { Ground } from './ground.ts';
import { checkNames, folded, outside, relativePath } from './spelling.ts';
import { namesOf, type RelativePath } from './resource.ts';

/**
 * The path inside the workspace that an agent's text names.
 *
 * Throws: `bad-input`, `denied`; the sentence starts with `field`. Links and denied folders are met later, on disk.
 */
export function readablePath(ground: Ground, text: string, field: string): RelativePath {
  return relativePath(text, ground.root, field) ?? throughAlias(ground, text, field);
}

/** The same for a path that is to change. Git's own folder is left to git: a wrong byte there runs or loses code. */
export function writablePath(ground: Ground, text: string, field: string): RelativePath {
  const path = readablePath(ground, text, field);
  if (path === '') throw new CountersignError('denied', `${field}: the workspace folder itself cannot be changed.`);
  if (namesOf(path).some(isGitFolder))
    throw new CountersignError('denied', `${field}: ${path} lies in Git's own folder; use git to change it.`);
  return path;
}

/** `.git` in every spelling under which some file system opens it. */
export function isGitFolder(name: string): boolean {
  return /^(?:\.git|git~\d+)$/u.test(folded(name));
}

/**
 * An absolute path that is not inside as text may be so under another name of the workspace folder (`/tmp` for
 * `/private/tmp`): one of its folders is then the same folder on disk. What follows is checked like any path.
 */
function throughAlias(ground: Ground, text: string, field: string): RelativePath {
  const root = statOf(ground.root);
  const whole = posix.normalize(text);
  for (const folder of root === undefined ? [] : foldersOf(whole)) {
    const stats = statOf(folder);
    if (stats?.dev === root?.dev && stats?.ino === root?.ino)
      return checkNames(whole.slice(folder.length).replace(/^\/+/u, '') || '.', text, field);
  }
  throw outside(field, text);
}

/** An absolute path and the folders it lies in, the innermost first, without `/`. */
function foldersOf(path: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = path; folder !== '/'; folder = posix.dirname(folder)) folders.push(folder);
  return folders;
}

function statOf(path: string): fs.BigIntStats | undefined {
  try {
    return fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    // A path that cannot be looked at (no permission, a loop of links) is not the workspace folder.
    return undefined;
  }
}
