import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Program } from './crash-build.ts';
import { GO, type Told } from './crash-order.ts';
import type { Said } from './crash-scenes.ts';

/** How a start ended, and what it said until then. */
export interface Ended {
  readonly said: readonly Said[];
  readonly exit: number | 'killed';
  readonly stderr: string;
}

export interface Hearing {
  /** Before it does anything: who wants to look at the process attaches to it now. */
  readonly onStarted?: (pid: number) => Promise<void> | void;
  /** Every line, at once. */
  readonly onSaid?: (said: Said) => void;
}

/** One thread for what is not synchronous: strace counts calls a thread, and the drain makes them in the main one. */
const ENV = { ...process.env, UV_THREADPOOL_SIZE: '1' };
/** A fork has no other threads; V8 must not wait for any. */
const FORKED = ['--single-threaded', '--v8-pool-size=1'];

/**
 * Starts a program again and again, one start after the other. With a warm-up each is a fork of one process that has
 * played that; without it, or where no C compiler is, each is a process that begins from nothing.
 */
export class Starter {
  readonly #program: Program;
  readonly #warmUp: (() => Promise<unknown>) | undefined;
  #loaded: ChildProcessWithoutNullStreams | undefined;
  #heard: (line: string) => void = () => undefined;
  #ended: (code: number | null) => void = () => undefined;
  #stderr = '';

  constructor(program: Program, warmUp?: () => Promise<unknown>) {
    this.#program = program;
    this.#warmUp = warmUp;
  }

  async start(order: unknown, { onSaid, onStarted }: Hearing): Promise<Ended> {
    const { stdin } = (this.#loaded ??= await this.#load());
    this.#stderr = '';
    return new Promise((resolve, reject) => {
      const said: Said[] = [];
      let started = false;
      const end = (exit: number | 'killed'): void => resolve({ said, exit, stderr: this.#stderr });
      this.#ended = (code) => end(code ?? 'killed');
      this.#heard = (line) => {
        // A line that a kill has cut is not said.
        if (!line.endsWith('}')) return;
        // reason: written by the child, a program of ours
        const each = JSON.parse(line) as Said | Told;
        if ('say' in each) {
          // What a warm-up says is nobody's.
          if (!started) return;
          said.push(each);
          onSaid?.(each);
        } else if (each.tell === 'started') {
          started = true;
          Promise.resolve(onStarted?.(each.pid)).then(() => void stdin.write(`${GO}\n`), reject);
        } else end(each.status < 0 ? 'killed' : each.status);
      };
      stdin.write(`${JSON.stringify(order)}\n`);
    });
  }

  /** What is loaded ends with its input. */
  close(): void {
    this.#loaded?.stdin.end();
  }

  async #load(): Promise<ChildProcessWithoutNullStreams> {
    const { addon = '', script } = this.#program;
    const warmUp = addon === '' ? undefined : await this.#warmUp?.();
    const flags = warmUp === undefined ? [] : FORKED;
    const loaded = spawn(
      process.execPath,
      [...flags, script, addon, warmUp === undefined ? '' : JSON.stringify(warmUp)],
      { env: ENV },
    );
    // What is written to one that was killed is lost with it.
    loaded.stdin.on('error', () => undefined);
    loaded.stderr.on('data', (part: Buffer) => (this.#stderr += part.toString()));
    createInterface({ input: loaded.stdout }).on('line', (line) => this.#heard(line));
    loaded.on('close', (code) => {
      this.#loaded = undefined;
      this.#ended(code);
    });
    return loaded;
  }
}
