import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFailed } from 'vitest';
import { connectOwner } from '../../src/cli/home/connect-owner.ts';
import { openStateFolder } from '../../src/cli/state/folder.ts';
import type { ActionDetail, OwnerPort, QueueRow } from '../../src/model/owner-port.ts';
import type { ActionState } from '../../src/model/action.ts';
import type { WorkspaceId } from '../../src/model/ids.ts';
import { stdioAgent, type Agent } from './agent.ts';
import { bundled } from './bundle.ts';
import { cli, serving, up, type Finished, type Up } from './cli.ts';
import { deviceFrom, type TestDevice } from './home-device.ts';
import { tempDir } from './temp-dir.ts';
import { sentOver } from './wire-pack.ts';

/** A workspace, a state folder and a wire; the product's own processes around them. */
export interface CasePlace {
  readonly workspace: string;
  /** Starts the product: with its files alone, or with a connection beside them. */
  start(worlds: 'files' | 'wire', ...more: readonly string[]): Promise<Up>;
  agent(): Promise<Agent>;
  /** A browser tab with a device of its own; by default by the link of the start. */
  tab(home: Up, link?: string): Promise<TestDevice>;
  run(...args: readonly string[]): Promise<Finished>;
  queue(): Promise<readonly QueueRow[]>;
  /** Waits for these states, in the order of the numbers. */
  until(...states: readonly ActionState[]): Promise<void>;
  /** How often the effect of each was begun. */
  intents(...seqs: readonly number[]): Promise<readonly number[]>;
  text(name: string): Promise<string | null>;
  /** Plays the line. */
  line(what: 'drop' | 'die' | 'wait', on: boolean): Promise<void>;
  sent(): readonly { readonly key: string; readonly text: string }[];
}

let wireHome: Promise<string> | undefined;

/** The home with a wire, built once for all cases. */
function builtWireHome(): Promise<string> {
  const relayThread = '../../sync-server/storage/sqlite-thread.ts';
  wireHome ??= bundled({ home: './wire-home.ts', 'sqlite-thread': relayThread }).then(({ home }) => home);
  return wireHome;
}

export async function casePlace(): Promise<CasePlace> {
  const dir = await tempDir();
  const [workspace, state, wire] = [join(dir, 'project'), join(dir, 'state'), join(dir, 'wire')] as const;
  await mkdir(workspace);
  await mkdir(wire);
  /** Asks the running home, as every command does. */
  const ask = async <T>(question: (port: OwnerPort, at: WorkspaceId) => Promise<T>): Promise<T> => {
    const port = await connectOwner(await openStateFolder(state));
    const [guarded] = (await port?.status())?.workspaces ?? [];
    if (port === undefined || guarded === undefined) throw new Error('No home guards the workspace.');
    try {
      return await question(port, guarded.id);
    } finally {
      await port.close();
    }
  };
  const queue = () => ask((port, at) => port.queue({ workspace: at, all: true }));
  return {
    workspace,
    start: async (worlds, ...more) =>
      worlds === 'files'
        ? up(workspace, state, '--port', '0', ...more)
        : serving([await builtWireHome(), state, workspace, wire]),
    agent: () => stdioAgent(workspace, state),
    async tab(home, link) {
      const device = await deviceFrom(link ?? String(home.ready['panelUrl']));
      await device.sees('the runtime', ({ workspaces }) => workspaces[0]?.runtime.state === 'online');
      return device;
    },
    run: (command = '', ...rest) => cli(command, '--workspace', workspace, '--state', state, ...rest),
    queue,
    until: (...wanted) => ask((port, at) => settled(port, at, wanted)),
    intents: (...seqs) => ask(async (port, at) => (await details(port, at, seqs)).map(intentsOf)),
    async text(name) {
      const path = join(workspace, name);
      return existsSync(path) ? readFile(path, 'utf8') : null;
    },
    line: (what, on) => (on ? writeFile(join(wire, what), '') : rm(join(wire, what), { force: true })),
    sent: () => sentOver(wire),
  };
}

async function settled(port: OwnerPort, workspace: WorkspaceId, wanted: readonly ActionState[]): Promise<void> {
  let rows: readonly QueueRow[] = [];
  onTestFailed(() => {
    process.stderr.write(`waited for ${wanted.join()}; last seen: ${rows.map(({ state }) => state).join()}\n`);
  });
  for (;;) {
    rows = await port.queue({ workspace, all: true });
    if (rows.map(({ state }) => state).join() === wanted.join()) return;
    const known = Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    await port.waitForChange({ workspace, known, timeoutMs: 5_000 });
  }
}

async function details(
  port: OwnerPort,
  workspace: WorkspaceId,
  seqs: readonly number[],
): Promise<readonly ActionDetail[]> {
  const rows = await port.queue({ workspace, all: true });
  return Promise.all(rows.filter(({ seq }) => seqs.includes(seq)).map(({ id }) => port.show({ workspace, id })));
}

function intentsOf({ history }: ActionDetail): number {
  return history.filter(({ kind }) => kind === 'intent-recorded').length;
}
