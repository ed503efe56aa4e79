import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrashPlace } from '../support/crash-home.ts';
import { copyAtSink, forgetAtSink } from '../support/crash-sink-client.ts';

/** A worker's own folders and its own outside world. */
export interface Bench {
  readonly folder: string;
  readonly port: number;
  /** An empty place, or one like a template. */
  fresh(name: string, template?: CrashPlace): Promise<CrashPlace>;
  clear(place: CrashPlace): Promise<void>;
  close(): void;
}

/** In memory where that is possible: a kill loses nothing that was written, and errors of the disk are injected. */
function baseFolder(): string {
  const given = process.env['CRASH_DIR'];
  if (given !== undefined) return given;
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    // No such folder, or not ours to write in.
    return tmpdir();
  }
}

export async function openBench(sinkProgram: string): Promise<Bench> {
  const folder = mkdtempSync(join(baseFolder(), 'crash-'));
  const sink = spawn(process.execPath, [sinkProgram], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await portOf(sink);
  const counted = { cases: 0 };
  return {
    folder,
    port,
    fresh: async (name, template) => {
      const place = `${name}-${String(++counted.cases)}`;
      const at = join(folder, place);
      const made = { state: join(at, 'state'), workspace: join(at, 'files'), sink: { port, place }, seed: 1 };
      if (template === undefined) {
        mkdirSync(made.workspace, { recursive: true });
        return made;
      }
      cpSync(join(template.state, '..'), at, { recursive: true, preserveTimestamps: true });
      await copyAtSink(made.sink, template.sink.place);
      return { ...made, seed: template.seed + 1 };
    },
    clear: async (place) => {
      rmSync(join(place.state, '..'), { recursive: true, force: true });
      await forgetAtSink(place.sink);
    },
    close: () => {
      sink.stdin?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The sink says its port once, in one line. */
function portOf(sink: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    sink.on('error', reject);
    sink.on('exit', (code) => reject(new Error(`The sink ended with ${String(code)}.`)));
    sink.stdout?.once('data', (line: Buffer) => {
      // reason: written by the sink, a program of ours
      resolve((JSON.parse(line.toString()) as { port: number }).port);
    });
  });
}
