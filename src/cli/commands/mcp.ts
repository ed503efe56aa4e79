import { CountersignError, messageOf } from '../../base/errors.ts';
import { VERSION } from '../../base/version.ts';
import type { OpenSession } from '../../hosts/mcp/index.ts';
import { connectAgent } from '../home/connect-agent.ts';
import { connectOwner } from '../home/connect-owner.ts';
import { startDetached } from '../home/detach.ts';
import { systemClock } from '../home/system.ts';
import { runMcpStdio } from '../mcp/stdio.ts';
import { openStateFolder, type StateFolder } from '../state/folder.ts';
import { identify } from '../state/workspace-place.ts';
import type { Run } from './command.ts';
import { namedDir, refuseNestedState, stateDir } from './home-at.ts';

/** Minutes without a connection after which a home that an agent started ends by itself. */
const IDLE_MINUTES = 30;

/** An agent's MCP server on stdin and stdout. Standard output belongs to the protocol: every word goes to stderr. */
export const run: Run = async (invocation) => {
  const { args, io } = invocation;
  const { path: workspaceDir } = await identify(namedDir(invocation));
  // Looked at first, as by `up`: an agent's start must not put a state folder into the files it is to work on.
  await refuseNestedState(stateDir(invocation), workspaceDir);
  const folder = await openStateFolder(stateDir(invocation));
  await runMcpStdio({
    connect: opener(folder, workspaceDir),
    hello: { name: args.text('session') ?? null, workspaceDir },
    info: { name: 'countersign', version: VERSION },
    stdin: process.stdin,
    stdout: process.stdout,
    clock: systemClock,
    onBug: (thrown) => io.note(`countersign: this is a bug, please report it: ${messageOf(thrown)}`),
  });
  return 0;
};

/** Joins the running home; starts one only at first and only if there is none. A lost home is never restarted. */
function opener(folder: StateFolder, workspaceDir: string): OpenSession {
  return async (hello, { again }) => {
    try {
      return await connectAgent(folder, hello);
    } catch (error) {
      if (!CountersignError.is(error)) throw error;
      if (error.code === 'not-found') await guard(folder, workspaceDir);
      else if (error.code !== 'closed') throw error;
      else if (again)
        throw new CountersignError(
          'closed',
          `The Countersign home has ended. A person starts it with: countersign up --workspace ${workspaceDir}`,
        );
      else await startDetached(folder, ['--workspace', workspaceDir, '--idle-exit', String(IDLE_MINUTES)]);
      return connectAgent(folder, hello);
    }
  };
}

/** The home runs and does not guard this folder yet. */
async function guard(folder: StateFolder, workspaceDir: string): Promise<void> {
  const port = await connectOwner(folder);
  if (port === undefined) throw new CountersignError('closed', 'The Countersign home has ended.');
  try {
    await port.openWorkspace({ dir: workspaceDir, adopt: false, exclusive: false });
  } finally {
    await port.close();
  }
}
