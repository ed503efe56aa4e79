import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { chromiumOfPackage } from './browser-chromium.ts';
import { watch, type Seen } from './browser-seen.ts';

/** What a browser looks like to a page. */
export interface Looks {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
  readonly locale?: string;
  readonly timezoneId?: string;
  /** A touch screen instead of a mouse. */
  readonly touch?: boolean;
}

/** One person's browser: a storage of its own and its open pages. */
export interface Person {
  readonly context: BrowserContext;
  /** The page it was opened with. */
  readonly page: Page;
  readonly seen: Seen;
  /** Another window on the same storage. */
  window(): Promise<Page>;
  /** Off: new connections fail and what is open carries nothing, as in a tunnel. */
  network(is: 'on' | 'off'): Promise<void>;
  /** As a person closes it: pages get to end, the storage is flushed. */
  close(): Promise<void>;
}

/** A browser whose storage lies in a folder and outlives it. */
export interface KeptPerson extends Person {
  /** kill -9 of the whole browser: nothing gets to end. */
  kill(): Promise<void>;
}

const ARGS = [
  // Tests run as root in containers, where Chromium's sandbox cannot be set up.
  '--no-sandbox',
  '--no-zygote',
  '--disable-gpu',
  '--disable-quic',
  // Nothing outside this machine has a name: a request for it fails at once, and is seen.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
] as const;

/** A browser process for many people with storages in memory. */
export async function startBrowser(): Promise<Browser> {
  const { executablePath, env } = await chromiumOfPackage();
  return chromium.launch({ executablePath, env: { ...env }, args: [...ARGS] });
}

/** A person with an empty storage, gone when closed. */
export async function openPerson(browser: Browser, looks: Looks = {}): Promise<Person> {
  return person(await browser.newContext(asContext(looks)));
}

/** A person whose storage is in this folder, in a process of its own. Only one at a time for a folder. */
export async function openKept(folder: string, looks: Looks = {}): Promise<KeptPerson> {
  const { executablePath, env } = await chromiumOfPackage();
  const options = { executablePath, env: { ...env }, args: [...ARGS], ...asContext(looks) };
  const context = await chromium.launchPersistentContext(folder, options);
  return { ...(await person(context)), kill: () => kill(context) };
}

/** Writes what the page shows into a temp folder and prints where, for a person to look at. */
export async function screenshot(page: Page, name: string): Promise<string> {
  shots ??= mkdtemp(join(tmpdir(), 'countersign-shots-'));
  const path = join(await shots, `${name}.png`);
  await page.screenshot({ path });
  process.stderr.write(`screenshot: ${path}\n`);
  return path;
}

let shots: Promise<string> | undefined;

function asContext({ width = 1280, height = 800, touch = false, ...rest }: Looks) {
  return { viewport: { width, height }, hasTouch: touch, ...rest };
}

/** Milliseconds one step may take: shorter than a test, so that it fails with the name of what it waited for. */
const STEP_MS_MAX = 60_000;

async function person(context: BrowserContext): Promise<Person> {
  context.setDefaultTimeout(STEP_MS_MAX);
  const seen = await watch(context);
  return {
    context,
    seen,
    page: context.pages()[0] ?? (await context.newPage()),
    window: () => context.newPage(),
    network: (is) => context.setOffline(is === 'off'),
    close: () => context.close(),
  };
}

async function kill(context: BrowserContext): Promise<void> {
  const closed = new Promise<void>((resolve) => context.once('close', () => resolve()));
  process.kill(await processIdOf(context.browser()), 'SIGKILL');
  await closed;
}

async function processIdOf(browser: Browser | null): Promise<number> {
  if (browser === null) throw new Error('the browser is gone already');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const main = processInfo.find(({ type }) => type === 'browser');
  if (main === undefined) throw new Error('the browser names no process of its own');
  return main.id;
}
