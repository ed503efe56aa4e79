import { createHash } from 'node:crypto';

/** Lines kept for whoever reads a failure. */
const TAIL_LINES = 60;
/** Characters that are hashed at once. */
const HASHED_AT_ONCE = 16 * 1024;

/** What happened, line by line: the hash of all of it, and the end of it. */
export class Trace {
  readonly #hash = createHash('sha256');
  #unhashed = '';
  readonly #tail: string[] = [];
  /** Where every line goes while a seed is looked at. */
  readonly #print: ((line: string) => void) | undefined;

  constructor(print?: (line: string) => void) {
    this.#print = print;
  }

  add(line: string): void {
    this.#unhashed += `${line}\n`;
    if (this.#unhashed.length >= HASHED_AT_ONCE) this.#flush();
    this.#tail.push(line);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
    this.#print?.(line);
  }

  get tail(): readonly string[] {
    return this.#tail;
  }

  /** Ends the trace. */
  digest(): string {
    this.#flush();
    return this.#hash.digest('hex').slice(0, 32);
  }

  #flush(): void {
    this.#hash.update(this.#unhashed);
    this.#unhashed = '';
  }
}
