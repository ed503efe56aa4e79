import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { isFresh } from '../../scripts/lib/build.mjs';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** Lines of standard output as JSON. */
  readonly json: readonly Record<string, unknown>[];
}

/** Arguments that run a program of ours, named without its extension: what was built of these sources, else the sources. */
export function programArgs(name: string): readonly string[] {
  fresh ??= isFresh();
  return fresh ? [join(ROOT, 'dist', `${name}.js`)] : ['--import', 'tsx', join(ROOT, `${name}.ts`)];
}

let fresh: boolean | undefined;

/** The same of the command line. */
export function cliArgs(): readonly string[] {
  return programArgs(join('src', 'cli', 'main'));
}

/** What a test runner sets to colour its own output must not colour ours. */
const ENV = { ...process.env, NO_COLOR: '1' };

/** Runs one command line to its end, outside any terminal. */
export async function cli(...args: readonly string[]): Promise<Finished> {
  const all = [...cliArgs(), ...args];
  return finished(spawn(process.execPath, all, { cwd: ROOT, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] }));
}

export interface Up {
  readonly child: ChildProcess;
  readonly ready: Record<string, unknown>;
  /** The process's end, however it comes. */
  readonly ended: Promise<Finished>;
}

/** Starts `up --json` and waits until it serves; it is killed with the test. Throws what it said when it ends instead. */
export async function up(workspace: string, state: string, ...more: readonly string[]): Promise<Up> {
  return serving([...cliArgs(), 'up', '--json', '--workspace', workspace, '--state', state, ...more]);
}

/** The same, of another program that says on its first line that it serves. */
export async function serving(args: readonly string[]): Promise<Up> {
  const child = spawn(process.execPath, args, { cwd: ROOT, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = finished(child);
  const ready = await Promise.race([
    firstLine(child),
    ended.then(({ code, err }) => {
      throw new Error(`up ended with ${code}: ${err}`);
    }),
  ]);
  // reason: the line is one JSON object, or the parse throws
  return { child, ready: JSON.parse(ready) as Record<string, unknown>, ended };
}

function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output');
  const lines = createInterface({ input: child.stdout });
  return new Promise((resolve) => lines.once('line', resolve));
}

function finished(child: ChildProcess): Promise<Finished> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({
        code,
        out,
        err,
        get json() {
          return jsonLines(out);
        },
      }),
    );
  });
}

function jsonLines(text: string): readonly Record<string, unknown>[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{'));
  // reason: each line is one object, or the parse throws
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
