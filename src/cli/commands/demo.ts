import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { numberFlag } from '../args/parse.ts';
import { runDemoAgent } from '../demo/agent.ts';
import { DEMO_TREE } from '../demo/tree.ts';
import { startHome } from '../home/start-home.ts';
import { builtPanelDir } from '../http/panel-files.ts';
import { openStateFolder } from '../state/folder.ts';
import type { Run } from './command.ts';

/** Guards a demo workspace in a temporary place while a scripted agent works in it; Ctrl-C ends and removes it. */
export const run: Run = async ({ args, io }) => {
  const port = numberFlag(args, 'port', { min: 0, max: 65_535 });
  const place = await mkdtemp(join(await realpath(tmpdir()), 'countersign-demo-'));
  const workspace = join(place, 'till');
  const state = join(place, 'state');
  await plant(workspace);
  const folder = await openStateFolder(state);
  const running = await startHome({
    folder,
    cliRight: undefined,
    port: port ?? 0,
    relay: undefined,
    panelDir: builtPanelDir(),
    idleMs: undefined,
    log: (line) => io.note(line),
  });
  const stopped = new AbortController();
  const stop = (): void => {
    stopped.abort();
    running.stop();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    await running.home.openWorkspace({ dir: workspace, adopt: false, exclusive: false });
    io.out(`A demo workspace stands in ${workspace}. An agent begins to work in it, through MCP.`);
    const { url } = await running.home.ownerPort().panelLink({ by: 'up' });
    const agent = runDemoAgent({
      workspace,
      state,
      signal: stopped.signal,
      say: (line) => io.out(line),
      done: () => sayHow((line) => io.out(line), { workspace, state, url }),
    });
    await Promise.all([agent, running.ended]);
  } finally {
    stop();
    await running.ended;
    await rm(place, { recursive: true, force: true });
  }
  return 0;
};

async function plant(workspace: string): Promise<void> {
  for (const [path, text] of Object.entries(DEMO_TREE)) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
}

function sayHow(
  out: (line: string) => void,
  { state, url, workspace }: { readonly workspace: string; readonly state: string; readonly url: string },
): void {
  const at = `--workspace ${workspace} --state ${state}`;
  out('');
  out('The agent is done, and not one file has changed. Look and decide in a browser of this machine:');
  out(`  ${url}`);
  out('or in another terminal:');
  out(`  npm start -- queue ${at}`);
  out(`  npm start -- show 5 ${at}`);
  out(`  npm start -- reject 11 --reason "the boundary is meant" ${at}`);
  out(`  npm start -- approve --all ${at}`);
  out(`  npm start -- audit verify ${at}`);
  out('What the agent is told about it shows here. Ctrl-C ends the demo and removes it.');
}
