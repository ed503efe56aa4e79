import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of package.json. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const WINDOWS = process.platform === 'win32';

/**
 * Runs a program to its end and answers whether it succeeded. It gets no standard input, and its output goes to
 * standard error: standard output belongs to what the person asked for (`npm start -- queue --json`).
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {boolean}
 */
export function run(program, args) {
  const ended = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 2, 2], shell: WINDOWS });
  if (ended.error !== undefined) console.error(`${program} did not start: ${ended.error.message}`);
  return ended.status === 0;
}

/**
 * Runs a program to its end and keeps what it printed.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @returns {{ readonly ok: boolean, readonly output: string }}
 */
export function capture(program, args) {
  const ended = spawnSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: WINDOWS,
    maxBuffer: 64 * 1024 * 1024,
  });
  const unstarted = ended.error === undefined ? '' : `${program} did not start: ${ended.error.message}\n`;
  return { ok: ended.status === 0, output: `${ended.stdout ?? ''}${ended.stderr ?? ''}${unstarted}` };
}

/**
 * A tool from node_modules.
 *
 * @param {string} name
 */
export function tool(name) {
  return join(ROOT, 'node_modules', '.bin', name);
}

/**
 * The program and leading arguments that start npm: the npm that started us, else the one on the path.
 *
 * @returns {{ readonly program: string, readonly leading: readonly string[] }}
 */
export function npm() {
  const path = process.env['npm_execpath'];
  return path !== undefined && basename(path) === 'npm-cli.js'
    ? { program: process.execPath, leading: [path] }
    : { program: 'npm', leading: [] };
}
