import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Cancel } from '../../base/clock.ts';
import { systemClock } from '../home/system.ts';
import { keepSetting } from '../state/setting-file.ts';

/** Milliseconds an opener may take to say that it failed. One that goes on longer has become the browser. */
const FAILS_WITHIN_MS = 3_000;

const PAGE = 'open-panel.html';

/** The program with which this system opens an address. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };
const OPENER = OPENERS[process.platform] ?? 'xdg-open';

/**
 * Opens a link that holds a secret by a page of its own that leads there: the arguments of a program are seen by
 * everybody on this machine, and whoever is faster than the browser would use the link up. The page is 0600, and the
 * next link takes its place.
 *
 * Throws: `full` when the disk is.
 */
export async function openLinkInBrowser(stateDir: string, url: string, opener = OPENER): Promise<boolean> {
  const page = join(stateDir, PAGE);
  await keepSetting(page, `<!doctype html><meta http-equiv="refresh" content="0; url=${new URL(url).href}">`);
  return openInBrowser(pathToFileURL(page).href, opener);
}

/** True when the system's own opener took the address. It is an argument of a program, never text for a shell. */
export async function openInBrowser(url: string, opener = OPENER): Promise<boolean> {
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  let cancel: Cancel = () => undefined;
  const goesOn = new Promise<boolean>((resolve) => {
    cancel = systemClock.after(FAILS_WITHIN_MS, () => resolve(true));
  });
  const ended = once(child, 'exit').then(
    ([code]) => code === 0,
    // There is no such program.
    () => false,
  );
  const opened = await Promise.race([ended, goesOn]);
  cancel();
  child.unref();
  return opened;
}
