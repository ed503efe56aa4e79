import { createInterface } from 'node:readline/promises';
import { codeOf } from '../state/node-errors.ts';

/** What a command may touch of the world around it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** A person looks at the output, and may be asked. */
  readonly interactive: boolean;
  /** Colours and columns make sense. */
  readonly outputIsTerminal: boolean;
  readonly columns: number;
  /** One line of what the command was asked for. */
  out(line: string): void;
  /** One line about it: what went wrong, or how it goes on. */
  note(line: string): void;
  /** Replaces the line that is being written, for progress. Only where `interactive`. */
  progress(line: string): void;
  /** Throws nothing; no answer is no. */
  confirm(question: string): Promise<boolean>;
}

export function processIo(): Io {
  const interactive = process.stdin.isTTY && process.stdout.isTTY;
  let pending = false;
  // Whoever read our output may leave before we are done: a home goes on, and a list is printed to nobody.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe);
  const clear = (): void => {
    if (pending) process.stdout.write('\r\u001b[K');
    pending = false;
  };
  return {
    env: process.env,
    cwd: process.cwd(),
    interactive,
    outputIsTerminal: process.stdout.isTTY,
    columns: process.stdout.columns || 80,
    out(line) {
      clear();
      process.stdout.write(`${line}\n`);
    },
    note(line) {
      clear();
      process.stderr.write(`${line}\n`);
    },
    progress(line) {
      process.stdout.write(`\r\u001b[K${line}`);
      pending = true;
    },
    async confirm(question) {
      const ask = createInterface({ input: process.stdin, output: process.stdout });
      try {
        return /^y(es)?$/i.test((await ask.question(`${question} [y/N] `)).trim());
      } catch (error) {
        // Ctrl-C or Ctrl-D: no answer.
        if (error instanceof Error && error.name === 'AbortError') return false;
        throw error;
      } finally {
        ask.close();
      }
    },
  };
}

function ignoreBrokenPipe(error: unknown): void {
  if (codeOf(error) !== 'EPIPE') throw error;
}
