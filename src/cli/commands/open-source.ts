import { CountersignError } from '../../base/errors.ts';
import { connectOwner } from '../home/connect-owner.ts';
import { findStateFolder } from '../state/folder.ts';
import type { Invocation } from './command.ts';
import { around, namedDir, realOr, stateDir } from './home-at.ts';
import { liveSource, type Source } from './source.ts';

/**
 * The workspace a command line speaks of: through the running home, else from its journal.
 *
 * Throws: `not-found` with the command that helps.
 */
export async function openSource(invocation: Invocation): Promise<Source> {
  const state = stateDir(invocation);
  const dir = await realOr(namedDir(invocation));
  const nowhere = new CountersignError(
    'not-found',
    `No workspace is guarded at ${dir}; start with: countersign up --workspace ${dir}`,
  );
  const folder = await findStateFolder(state);
  if (folder === undefined) throw nowhere;
  const port = await connectOwner(folder);
  if (port !== undefined) {
    const live = around((await port.status()).workspaces, dir);
    if (live !== undefined)
      return liveSource(port, { folder, workspace: live.id, root: live.root, sessions: live.sessions });
    await port.close();
  }
  // Only here is the native module needed: a command to a running home starts without it.
  const { readRegistry } = await import('../home/registry.ts');
  const { devices, workspaces } = await readRegistry(folder);
  const known = around(
    workspaces.map((record) => ({ record, root: record.path })),
    dir,
  );
  if (known === undefined) throw nowhere;
  const { offlineSource } = await import('./offline-source.ts');
  return offlineSource(folder, known.record, devices);
}
