import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Programs } from '../support/crash-build.ts';
import type { CrashPlace } from '../support/crash-home.ts';
import type { ChildOrder, LoopOrder } from '../support/crash-order.ts';
import { copyAtSink, forgetAtSink } from '../support/crash-sink-client.ts';
import { Starter } from '../support/crash-starter.ts';

/** A worker's own folders and its own outside world. */
export interface Bench {
  readonly folder: string;
  readonly port: number;
  /** Where the homes of its cases have their relay, one after the other. */
  readonly relayPort: number;
  /** An empty place, or one like a template. */
  fresh(name: string, template?: CrashPlace): Promise<CrashPlace>;
  /** What plays scenes: `warm` starts cost least; `cold` ones begin from nothing, as a start of the product does. */
  readonly scenes: { readonly warm: Starter; readonly cold: Starter };
  /** What is under load until it is killed. */
  readonly load: Starter;
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

export async function openBench(programs: Programs): Promise<Bench> {
  const folder = mkdtempSync(join(baseFolder(), 'crash-'));
  const sink = spawn(process.execPath, [programs.sink], { stdio: ['pipe', 'pipe', 'inherit'] });
  const port = await portOf(sink);
  const relayPort = await freePort();
  const counted = { cases: 0 };
  const fresh: Bench['fresh'] = async (name, template) => {
    const place = `${name}-${String(++counted.cases)}`;
    const at = join(folder, place);
    const made = {
      state: join(at, 'state'),
      workspace: join(at, 'files'),
      sink: { port, place },
      seed: 1,
      relayPort,
    };
    if (template === undefined) {
      mkdirSync(made.workspace, { recursive: true });
      return made;
    }
    cpSync(join(template.state, '..'), at, { recursive: true, preserveTimestamps: true });
    await copyAtSink(made.sink, template.sink.place);
    return { ...made, seed: template.seed + 1 };
  };
  const { child, loop } = programs;
  const warm = new Starter(child, async () => ({ ...(await fresh('warm')), scene: 'warm-up' }) satisfies ChildOrder);
  const cold = new Starter(child);
  const load = new Starter(loop, async () => ({ ...(await fresh('warm')), turns: 3 }) satisfies LoopOrder);
  return {
    folder,
    port,
    relayPort,
    fresh,
    scenes: { warm, cold },
    load,
    clear: async (place) => {
      rmSync(join(place.state, '..'), { recursive: true, force: true });
      await forgetAtSink(place.sink);
    },
    close: () => {
      for (const each of [warm, cold, load]) each.close();
      sink.stdin?.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port that nothing listens on; the cases of a worker use it one after the other. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // reason: a server that listens on TCP has such an address
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
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
