import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Io } from '../../src/cli/commands/io.ts';
import { runCommandLine } from '../../src/cli/commands/run-command-line.ts';
import type { RelayChoice } from '../../src/cli/home/relay-choice.ts';
import { startHome, type RunningHome } from '../../src/cli/home/start-home.ts';
import { openStateFolder } from '../../src/cli/state/folder.ts';
import type { AgentPort, CallAnswer } from '../../src/model/agent-port.ts';
import type { Right } from '../../src/model/decision.ts';
import { tempDir } from './temp-dir.ts';

export interface Ran {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly json: readonly Record<string, unknown>[];
}

export interface LabHome {
  readonly cliRight?: Right;
  readonly state?: string;
  /** `undefined`: the one it had before. Without it: any, not remembered. */
  readonly port?: number | undefined;
  readonly relay?: RelayChoice;
}

/** A state folder and a workspace; homes and command lines in this process, over the real sockets and journals. */
export interface CliLab {
  readonly dir: string;
  readonly workspace: string;
  readonly state: string;
  /** Starts a home and has it guard the workspace; it is stopped with the test. */
  home(options?: LabHome): Promise<RunningHome>;
  guard(home: RunningHome, dir?: string): ReturnType<RunningHome['home']['openWorkspace']>;
  /** An agent's write, queued. */
  write(agent: AgentPort, path: string, content: string): Promise<CallAnswer>;
  agent(home: RunningHome): Promise<AgentPort>;
  run(...args: readonly string[]): Promise<Ran>;
  /** The same, with a person at a terminal who answers each question this way. */
  runAtTerminal(answer: boolean, ...args: readonly string[]): Promise<Ran & { readonly asked: readonly string[] }>;
}

export async function cliLab(): Promise<CliLab> {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  const state = join(dir, 'state');
  await mkdir(workspace);
  // Flags of the test come later, so that it can name another place.
  const withPlace = ([command = '', ...rest]: readonly string[]) => [
    command,
    '--workspace',
    workspace,
    '--state',
    state,
    ...rest,
  ];
  return {
    dir,
    workspace,
    state,
    async home(options = {}) {
      const folder = await openStateFolder(options.state ?? state);
      const running = await startHome({
        folder,
        cliRight: options.cliRight,
        port: 'port' in options ? options.port : 0,
        relay: options.relay,
        panelDir: join(dir, 'panel'),
        idleMs: undefined,
        log: () => undefined,
      });
      onTestFinished(async () => {
        running.stop();
        await running.ended;
      });
      return running;
    },
    guard: ({ home }, folder = workspace) => home.openWorkspace({ dir: folder, adopt: false, exclusive: false }),
    write: (agent, path, content) => agent.call({ tool: 'write_file', arguments: { path, content }, callId: null }),
    agent: ({ home }) =>
      home.agent({
        name: null,
        client: { name: 'test-agent', version: '1' },
        transportId: null,
        host: 'mcp',
        workspaceDir: workspace,
      }),
    run: (...args) => runWith(() => Promise.resolve(false), false, withPlace(args)),
    async runAtTerminal(answer, ...args) {
      const asked: string[] = [];
      const confirm = (question: string): Promise<boolean> => {
        asked.push(question);
        return Promise.resolve(answer);
      };
      return { ...(await runWith(confirm, true, withPlace(args))), asked };
    },
  };
}

async function runWith(confirm: Io['confirm'], interactive: boolean, args: readonly string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    env: { NO_COLOR: '1' },
    cwd: process.cwd(),
    interactive,
    outputIsTerminal: interactive,
    columns: 100,
    out: (line) => out.push(line),
    note: (line) => err.push(line),
    progress: () => undefined,
    confirm,
  };
  const code = await runCommandLine(args, io);
  // reason: lines of --json are objects, or the parse throws
  const json = args.includes('--json') ? out.map((line) => JSON.parse(line) as Record<string, unknown>) : [];
  return { code, out, err, json };
}
