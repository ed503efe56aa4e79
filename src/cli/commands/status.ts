import type { HomeStatus } from '../../model/owner-port.ts';
import { display } from '../../model/display.ts';
import { connectOwner } from '../home/connect-owner.ts';
import { findStateFolder } from '../state/folder.ts';
import type { Run } from './command.ts';
import { stateDir } from './home-at.ts';

/** Says what runs and for whom; exit code 1 when no home runs. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const folder = await findStateFolder(stateDir(invocation));
  const port = folder === undefined ? undefined : await connectOwner(folder);
  if (port === undefined) {
    io.out(args.flag('json') ? JSON.stringify({ running: false, stateDir: stateDir(invocation) }) : 'No home runs.');
    return 1;
  }
  try {
    const status = await port.status();
    if (args.flag('json')) io.out(JSON.stringify({ running: true, ...status }));
    else for (const line of linesOf(status)) io.out(line);
    return 0;
  } finally {
    await port.close();
  }
};

function linesOf(status: HomeStatus): readonly string[] {
  return [
    `Home ${status.homeId} runs as process ${status.pid} (version ${status.version}, state ${status.stateDir}).`,
    ...(status.mcpUrl === null ? [] : [`Agents over HTTP: ${status.mcpUrl}`]),
    ...status.workspaces.flatMap((workspace) => [
      `${workspace.root}: ${workspace.open} open${workspace.quarantine === null ? '' : `, in quarantine: ${workspace.quarantine}`}`,
      ...workspace.sessions
        .filter(({ connected }) => connected)
        .map(({ client, level }) => `  ${display(client, { maxChars: 80 }).text} · ${level} · connected`),
    ]),
  ];
}
