import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { CountersignError } from '../../base/errors.ts';
import type { StateFolder } from '../state/folder.ts';

/** Bytes at the end of the log in which a failed start's last sentence is looked for. */
const TAIL_BYTES = 4 * 1024;

/**
 * Starts `countersign up` as a process of its own and waits until it serves. Its output goes to the log in the state
 * folder, 0600; its first message says that it is ready.
 *
 * Throws: `closed` with the last sentence it said, when it ended instead.
 */
export async function startDetached(folder: StateFolder, args: readonly string[]): Promise<unknown> {
  const log = openSync(folder.log, 'a', 0o600);
  const main = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, main, 'up', ...args, '--state', folder.dir], {
    detached: true,
    // Not the caller's folder, which may be unmounted later; a loader named on the command line is found from here.
    cwd: dirname(main),
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const ready = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => undefined)]);
  child.unref();
  if (ready === undefined) {
    throw new CountersignError('closed', `The home did not start: ${lastLine(folder.log)}`);
  }
  child.disconnect();
  return ready[0];
}

function lastLine(path: string): string {
  const text = readFileSync(path, 'utf8').slice(-TAIL_BYTES).trimEnd();
  return text.slice(text.lastIndexOf('\n') + 1).replace(/^countersign: /, '');
}
