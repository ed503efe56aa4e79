import { join } from 'node:path';
import type { HomeStatus } from '../../model/owner-port.ts';
import type { SetupFacts } from '../setup/facts.ts';
import { askHome } from './ask-home.ts';

/** What an agent must be told to reach a workspace: this very program by its own path, and the running home's port. */
export function setupFacts(at: {
  readonly workspaceDir: string;
  readonly stateDir: string;
  readonly home: Pick<HomeStatus, 'mcpUrl' | 'stateDir'> | undefined;
}): SetupFacts {
  const { home, stateDir, workspaceDir } = at;
  // An agent may have another PATH, and no shell: nothing is left to be looked up.
  const program = [...process.execArgv, process.argv[1] ?? ''];
  const url = home?.mcpUrl ?? null;
  return {
    workspaceDir,
    command: process.execPath,
    args: [...program, 'mcp', '--workspace', workspaceDir, '--state', stateDir],
    http: home === undefined || url === null ? null : { url, tokenPath: join(home.stateDir, 'agent.token') },
  };
}

/** The running home of a state folder, if there is one. */
export function runningHome(stateDir: string): Promise<HomeStatus | undefined> {
  return askHome(stateDir, (port) => port.status());
}
