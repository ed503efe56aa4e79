import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cliArgs } from './cli.ts';

export interface RelayProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** As `--relay` takes it. */
  readonly url: string;
  kill(): Promise<void>;
}

/** `countersign relay` as a process of its own, on its own data. */
export async function relayProcess(options: {
  readonly dir: string;
  /** 0: any free one. */
  readonly port: number;
  readonly args: readonly string[];
}): Promise<RelayProcess> {
  const { args, dir, port } = options;
  const all = [...cliArgs(), 'relay', '--port', String(port), '--data', join(dir, 'relay-data'), ...args];
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([first]) => String(first)),
    ended.then(() => {
      throw new Error(`The relay ended: ${said}`);
    }),
  ]);
  const found = Number(/:(\d+)$/.exec(line.trim())?.[1]);
  return {
    child,
    port: found,
    url: `ws://localhost:${found}`,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
