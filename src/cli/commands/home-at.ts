import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { realpath } from 'node:fs/promises';
import { CountersignError } from '../../base/errors.ts';
import { contains, nesting } from '../state/containment.ts';
import { stateDirOf } from '../state/folder.ts';
import type { Invocation } from './command.ts';

/** The state folder this command line speaks of, as a path; it may not exist yet. */
export function stateDir({ args, io }: Invocation): string {
  return stateDirOf({
    flag: args.text('state'),
    env: io.env,
    platform: process.platform,
    homeDir: homedir(),
    cwd: io.cwd,
  });
}

/** The folder this command line speaks of, as it was typed: `--workspace`, else where the person stands. */
export function namedDir({ args, io }: Invocation): string {
  return resolve(io.cwd, args.text('workspace') ?? '.');
}

/** The real path of a folder, or the path itself while there is nothing at it. */
export async function realOr(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // Missing or unreadable: whoever opens it says so. Here it only matches no workspace.
    return path;
  }
}

/**
 * Throws: `denied` when the state folder lies in the workspace or the other way round, under whatever names. Asked
 * before anything is created.
 */
export async function refuseNestedState(state: string, workspace: string): Promise<void> {
  const way = nesting(await realOr(state), workspace);
  if (way === undefined) return;
  const how = way === 'around' ? 'lies in the state folder' : 'holds the state folder';
  throw new CountersignError('denied', `The workspace ${workspace} ${how} ${state}; choose another --state.`);
}

/** Of these workspaces the innermost one around a folder. */
export function around<W extends { readonly root: string }>(workspaces: readonly W[], dir: string): W | undefined {
  return workspaces.filter(({ root }) => contains(root, dir)).toSorted((a, b) => b.root.length - a.root.length)[0];
}
