import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Page } from 'playwright-core';
import { openPerson, startBrowser } from '../../test/support/browser-process.ts';
import { p50, p99, type Report } from './figure.ts';

const SAMPLES = 40;
/** Nobody counts the first ones: every process has compiled what it runs. */
const WARM = 5;
const PROMISED_MS = 2_000;
const CLI = join(import.meta.dirname, '..', '..', 'dist', 'src', 'cli', 'main.js');

/** Milliseconds of one approval, by the one clock of this machine. */
interface Way {
  /** From the click until this device says that it is saved. */
  readonly saved: number;
  /** From there until the file is on the disk. */
  readonly applied: number;
  /** From there until the other browser shows it. */
  readonly shown: number;
}

/** A click in one browser, through signature, storage, relay, runtime and file system, until another browser shows it. */
export async function endToEnd(report: Report, folder: string): Promise<void> {
  const workspace = join(folder, 'project');
  const state = join(folder, 'state');
  await mkdir(workspace, { recursive: true });
  const home = spawn(process.execPath, [CLI, 'up', '--json', '--workspace', workspace, '--state', state], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const browser = await startBrowser();
  try {
    const link = await readyLink(home);
    await propose(workspace, state);
    const ada = await openPerson(browser);
    const grace = await openPerson(browser);
    await enrol(ada.page, link);
    await enrol(grace.page, await nextLink(state));
    const ways: Way[] = [];
    for (let n = 1; n <= WARM + SAMPLES; n++) {
      const way = await approve({ from: ada.page, to: grace.page, n, file: join(workspace, nameOf(n)) });
      if (n > WARM) ways.push(way);
    }
    tell(report, ways);
  } finally {
    await browser.close();
    home.kill('SIGTERM');
    await once(home, 'exit');
  }
}

function tell(report: Report, ways: readonly Way[]): void {
  const whole = ways.map(({ applied, saved, shown }) => saved + applied + shown);
  const figure = { bench: 'sync', unit: 'ms' };
  for (const [name, percentile] of [['p50', p50] as const, ['p99', p99] as const]) {
    const ours = percentile(whole);
    report({
      ...figure,
      figure: `click to shown in another browser ${name}`,
      ours,
      beside: PROMISED_MS,
      besideName: 'what a person is promised',
      goal: `<= ${PROMISED_MS}`,
      holds: ours <= PROMISED_MS,
    });
  }
  const legs = [
    ['click to saved', ways.map(({ saved }) => saved)],
    ['saved to applied', ways.map(({ applied }) => applied)],
    ['applied to shown', ways.map(({ shown }) => shown)],
  ] as const;
  for (const [name, samples] of legs) {
    const besideName = 'the whole way';
    const ours = p50(samples);
    report({ ...figure, figure: `${name} p50`, ours, beside: p50(whole), besideName, goal: 'none', holds: true });
  }
}

interface Approval {
  readonly from: Page;
  readonly to: Page;
  readonly n: number;
  readonly file: string;
}

async function approve({ file, from, n, to }: Approval): Promise<Way> {
  const row = from.locator('.row', { hasText: nameOf(n) });
  await row.locator('.row-main').click();
  const [clicked, saved, shown] = [clickedAt(from), saysAt(from, `#${n}`), goneAt(to, nameOf(n))];
  await from.locator('.detail-actions').getByRole('button', { name: 'Approve', exact: true }).click();
  const [clickedMs, savedMs, shownMs] = await Promise.all([clicked, saved, shown]);
  const appliedMs = Number((await stat(file, { bigint: true })).mtimeNs / 1_000n) / 1_000;
  return { saved: savedMs - clickedMs, applied: appliedMs - savedMs, shown: shownMs - appliedMs };
}

/** When the page is clicked next. */
function clickedAt(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const heard = () => resolve(performance.timeOrigin + performance.now());
        document.addEventListener('click', heard, { capture: true, once: true });
      }),
  );
}

/** When the page says that something is saved which these words are about. */
function saysAt(page: Page, words: string): Promise<number> {
  return page.evaluate(
    (about) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          const said = [...document.querySelectorAll('.outcome')].some(({ textContent }) =>
            textContent?.includes(`${about}. Saved on this device.`),
          );
          if (said) resolve(performance.timeOrigin + performance.now());
        };
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
        look();
      }),
    words,
  );
}

/** When the page shows no open row of this name any more. */
function goneAt(page: Page, name: string): Promise<number> {
  return page.evaluate(
    (text) =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          if (![...document.querySelectorAll('.row')].some(({ textContent }) => textContent?.includes(text)))
            resolve(performance.timeOrigin + performance.now());
        };
        new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
        look();
      }),
    name,
  );
}

async function enrol(page: Page, link: string): Promise<void> {
  // The loader of this program gives functions their names with a helper that a page has not got.
  await page.addInitScript({ content: 'globalThis.__name = (named) => named;' });
  await page.goto(link);
  await page.getByRole('button', { name: 'Make this browser a device' }).click();
  await page.locator('.row').first().waitFor();
}

async function propose(workspace: string, state: string): Promise<void> {
  const agent = new Client({ name: 'bench', version: '1' });
  const args = [CLI, 'mcp', '--workspace', workspace, '--state', state];
  await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  for (let n = 1; n <= WARM + SAMPLES; n++)
    await agent.callTool({ name: 'write_file', arguments: { path: nameOf(n), content: `export const n = ${n};\n` } });
  await agent.close();
}

const nameOf = (n: number): string => `file-${String(n).padStart(3, '0')}.ts`;

async function readyLink(home: ChildProcess): Promise<string> {
  return linkIn(home, 'panelUrl');
}

function nextLink(state: string): Promise<string> {
  const args = [CLI, 'panel', '--json', '--state', state];
  return linkIn(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }), 'url');
}

/** What a command says first, under this name. */
async function linkIn(child: ChildProcess, name: string): Promise<string> {
  if (child.stdout === null) throw new Error('the command has no output');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  // reason: one JSON object a line, or the parse throws
  const said = (JSON.parse(String(line)) as Record<string, unknown>)[name];
  if (typeof said !== 'string') throw new Error(`the command said no ${name}`);
  return said;
}
