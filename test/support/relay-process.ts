import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { programArgs } from './cli.ts';

/** The relay as a program of its own. */
export interface RelayProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** `http://127.0.0.1:PORT`; rejects when it ends before it listens. */
  readonly url: Promise<string>;
  /** What it wrote on standard error so far: sentences and log lines. */
  said(): string;
  /** Kept when it has ended and said its last word. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string }>;
}

export function startRelay(...args: readonly string[]): RelayProcess {
  const child = spawn(process.execPath, [...programArgs('sync-server/main'), ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said })); // reason: what a child process ends with
  const url = urlOf(child);
  // A test that only waits for the end does not look at it.
  url.catch(() => undefined);
  return { child, url, said: () => said, ended };
}

async function urlOf(child: ChildProcessWithoutNullStreams): Promise<string> {
  for await (const line of createInterface(child.stdout)) {
    const url = /^Relay on (http:\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The relay ended before it said where it listens.');
}
