import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Cancel } from '../../base/clock.ts';
import { systemClock } from '../home/system.ts';

/** Milliseconds an opener may take to say that it failed. One that goes on longer has become the browser. */
const FAILS_WITHIN_MS = 3_000;

/** The program with which this system opens an address. */
const OPENERS: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer.exe' };
const OPENER = OPENERS[process.platform] ?? 'xdg-open';

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
