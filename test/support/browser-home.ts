import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { stdioAgent } from './agent.ts';
import { cli, up, type Finished, type Up } from './cli.ts';
import { relayProcess, type RelayProcess } from './home-relay-process.ts';
import { tempDir } from './temp-dir.ts';

/** A home as people have it, in processes of its own, on files of its own; everything ends with the test. */
export interface HomeOnDisk {
  readonly workspace: string;
  readonly state: string;
  /** `countersign up`, also after it was killed. */
  start(...flags: readonly string[]): Promise<Up>;
  run(...args: readonly string[]): Promise<Finished>;
  /** A link that makes a browser a device. */
  link(): Promise<string>;
  /** An agent queues a file for each path, in order; each says its own path, unless something else is given. */
  propose(paths: readonly string[], content?: string): Promise<void>;
  /** A relay of its own that serves this home, on data of its own. Call it before the home is started with it. */
  relay(options?: { readonly port?: number; readonly args?: readonly string[] }): Promise<RelayProcess>;
  readonly relayData: string;
}

export async function homeOnDisk(): Promise<HomeOnDisk> {
  const dir = await tempDir();
  const workspace = join(dir, 'project');
  const state = join(dir, 'state');
  await mkdir(workspace);
  const start = (...flags: readonly string[]): Promise<Up> => up(workspace, state, ...flags);
  let relayArgs: readonly string[] | undefined;
  return {
    workspace,
    state,
    relayData: join(dir, 'relay-data'),
    start,
    run: (command = '', ...rest) => cli(command, ...rest, '--workspace', workspace, '--state', state),
    async link() {
      const { err, json } = await cli('panel', '--json', '--state', state);
      const url = json[0]?.['url'];
      if (typeof url !== 'string') throw new Error(`no link: ${err}`);
      return url;
    },
    async propose(paths, content) {
      const agent = await stdioAgent(workspace, state);
      for (const path of paths) {
        await mkdir(dirname(join(workspace, path)), { recursive: true });
        const [said = ''] = await agent.call('write_file', { path, content: content ?? contentOf(path) });
        if (!said.startsWith('Queued as ')) throw new Error(`the agent's write was not queued: ${said}`);
      }
      await agent.close();
    },
    async relay({ args = [], port = 0 } = {}) {
      relayArgs ??= await servingArgs(start);
      return relayProcess({ dir, port, args: [...relayArgs, ...args] });
    },
  };
}

/** Whom a relay serves is known once the home has been there. */
async function servingArgs(start: () => Promise<Up>): Promise<readonly string[]> {
  const first = await start();
  first.child.kill('SIGTERM');
  await first.ended;
  return ['--home', String(first.ready['homeId']), '--origin', new URL(String(first.ready['panelUrl'])).origin];
}

export const contentOf = (path: string): string => `export const path = ${JSON.stringify(path)};\n`;

/** Opens a link and makes this browser a device of this name. */
export async function enrol(page: Page, link: string, nickname: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('What to call this device').fill(nickname);
  await page.getByRole('button', { name: 'Make this browser a device' }).click();
  await page.getByRole('list', { name: 'Settled actions' }).or(page.locator('.row').first()).first().waitFor();
}

/** The row of a target, however many steps lead to it. */
export function rowOf(page: Page, path: string): Locator {
  return page.locator('.row').filter({ has: page.getByText(path, { exact: false }) });
}
