import { createHash } from 'node:crypto';

/** Lines kept for whoever reads a failure. */
const TAIL_LINES = 60;

/** What happened, line by line: the hash of all of it, and the end of it. */
export class Trace {
  readonly #hash = createHash('sha256');
  readonly #tail: string[] = [];
  /** Where every line goes while a seed is looked at. */
  readonly #print: ((line: string) => void) | undefined;

  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(line: string): void {
    this.#hash.update(line).update('\n');
    this.#tail.push(line);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    this.#print?.(line);
  }

  get tail(): readonly string[] {
    return this.#tail;
  }

  /** Ends the trace. */
  digest(): string {
    return this.#hash.digest('hex').slice(0, 32);
  }
}
