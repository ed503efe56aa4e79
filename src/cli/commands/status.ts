import type { HomeStatus } from '../../model/owner-port.ts';
import { display } from '../../model/display.ts';
import type { Run } from './command.ts';
import { stateDir } from './home-at.ts';
import { runningHome } from './setup-facts.ts';

/** Says what runs and for whom; exit code 1 when no home runs. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const state = stateDir(invocation);
  const status = await runningHome(state);
  const json = status === undefined ? { running: false, stateDir: state } : { running: true, ...status };
  if (args.flag('json')) io.out(JSON.stringify(json));
  else for (const line of status === undefined ? ['No home runs.'] : linesOf(status)) io.out(line);
  return status === undefined ? 1 : 0;
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
