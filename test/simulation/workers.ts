import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Mode } from './rates.ts';
import { PROGRESS_SEEDS } from './progress.ts';
import type { WorkerReport } from './worker.ts';

const run = promisify(execFile);

/** Bytes a worker may print: every step of one seed. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

export interface SimRequest {
  readonly mode: Mode;
  readonly steps: number;
  readonly first: number;
  readonly count: number;
  readonly jobs: number;
  readonly print?: boolean;
  /** Stops at the first seed that breaks a check. */
  readonly find?: boolean;
  /** Takes every seed a second time, with every device's clock off by years. */
  readonly clocks?: boolean;
  /** Told now and then how many more seeds are done. */
  readonly onProgress?: (seeds: number) => void;
  /** Milliseconds after which it is ended; left out, it may take as long as it likes. */
  readonly msMax?: number;
}

/** What is no JavaScript stays where it is installed. */
const native: Plugin = {
  name: 'native',
  setup: ({ onResolve }) => {
    const path = pathToFileURL(createRequire(import.meta.url).resolve('better-sqlite3')).href;
    onResolve({ filter: /^better-sqlite3$/ }, () => ({ path, external: true }));
  },
};

/** The simulation as one file: a process that loads it starts in a moment, and runs without a compiler in its way. */
export async function bundleWorker(
  plugins: readonly Plugin[] = [],
): Promise<{ readonly path: string; readonly remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-sim-'));
  const path = join(folder, 'worker.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('worker.ts', import.meta.url))],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
    plugins: [...plugins, native],
  });
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

/** Runs seeds in processes of their own, a share each; answers what all of them saw. */
export async function runSeeds(worker: string, request: SimRequest): Promise<WorkerReport> {
  const { count, first, jobs, mode, print = false, steps } = request;
  const { onProgress = () => undefined } = request;
  const shares = Array.from(
    { length: Math.min(jobs, count) },
    (_, job) => `${first + job}:${Math.ceil((count - job) / jobs)}:${jobs}`,
  );
  const reports = await Promise.all(
    shares.map((seeds) => runWorker(worker, { seeds, mode, steps, print, onProgress })),
  );
  return reports.reduce(together);
}

/** One process; `seeds` as `7,12` or `first:count:stride`. */
export async function runWorker(
  worker: string,
  {
    clocks = false,
    find = false,
    mode,
    msMax = 0,
    onProgress = () => undefined,
    print = false,
    seeds,
    steps,
  }: Omit<SimRequest, 'first' | 'count' | 'jobs'> & { readonly seeds: string },
): Promise<WorkerReport> {
  const args = [
    seeds,
    mode,
    String(steps),
    ...(print ? ['print'] : []),
    ...(find ? ['find'] : []),
    ...(clocks ? ['clocks'] : []),
  ];
  const options = { maxBuffer: OUTPUT_BYTES_MAX, timeout: msMax };
  const running = run(process.execPath, ['--enable-source-maps', worker, ...args], options);
  // A dot a batch of seeds; whatever else comes there is in what it fails with.
  running.child.stderr?.on('data', (said: Buffer) => {
    const dots = said.toString().split('.').length - 1;
    if (/^\.+$/.test(said.toString())) onProgress(dots * PROGRESS_SEEDS);
  });
  const { stdout } = await running;
  return reportOf(stdout);
}

/** The last line; what stands before it was printed for people. */
function reportOf(stdout: string): WorkerReport {
  const lines = stdout.trimEnd().split('\n');
  for (const line of lines.slice(0, -1)) console.log(line);
  // reason: the worker's own shape, written by the same sources
  return JSON.parse(lines.at(-1) ?? '') as WorkerReport;
}

function together(a: WorkerReport, b: WorkerReport): WorkerReport {
  const occurred: Record<string, number> = { ...a.occurred };
  for (const [what, times] of Object.entries(b.occurred)) occurred[what] = (occurred[what] ?? 0) + times;
  return {
    seeds: a.seeds + b.seeds,
    steps: a.steps + b.steps,
    occurred,
    hashes: { ...a.hashes, ...b.hashes },
    failures: [...a.failures, ...b.failures],
  };
}
