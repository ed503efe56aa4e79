import { rememberedPort } from '../http/home-port.ts';
import { panelOrigin } from '../http/request.ts';
import { findStateFolder } from '../state/folder.ts';
import type { Run } from './command.ts';
import { around, namedDir, realOr, stateDir } from './home-at.ts';

/** Says where the state folder is, and which workspace the present folder belongs to. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const state = stateDir(invocation);
  const folder = await findStateFolder(state);
  const { readRegistry } = await import('../home/registry.ts');
  const workspaces = folder === undefined ? [] : (await readRegistry(folder)).workspaces;
  const known = around(
    workspaces.map((record) => ({ id: record.id, root: record.path })),
    await realOr(namedDir(invocation)),
  );
  const found = {
    stateDir: folder?.dir ?? state,
    exists: folder !== undefined,
    workspaceId: known?.id ?? null,
    root: known?.root ?? null,
    port: folder === undefined ? null : ((await rememberedPort(folder)) ?? null),
    journal: known === undefined || folder === undefined ? null : folder.workspace(known.id),
  };
  if (args.flag('json')) io.out(JSON.stringify(found));
  else {
    io.out(`State folder: ${found.stateDir}${found.exists ? '' : ' (not there yet)'}`);
    io.out(known === undefined ? 'Workspace: none around here' : `Workspace: ${known.root} (${known.id})`);
    if (found.port !== null) io.out(`Panel: ${panelOrigin(found.port)}/ while a home runs`);
    if (found.journal !== null) io.out(`Journal: ${found.journal}`);
  }
  return 0;
};
