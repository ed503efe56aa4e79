import { CountersignError } from '../base/errors.ts';
import { fitsLine } from './frame.ts';
import { DOOR_LIMITS } from './limits.ts';
import type { Link } from './link.ts';
import { parseRequest, type Request, wireError } from './messages.ts';

/** What stands behind a door, for one connection. Every method throws `CountersignError`; anything else is a bug. */
export interface Behind<Port> {
  hello(params: unknown): Promise<Opened<Port>>;
  call(port: Port, request: Request): Promise<unknown>;
  close(port: Port): Promise<void>;
}

export interface Opened<Port> {
  readonly port: Port;
  /** The answer to hello. */
  readonly welcome: unknown;
}

/** The home's half of one connection: hello first, then requests side by side, each answered by its id. */
export class Connection<Port> {
  readonly #link: Link;
  readonly #behind: Behind<Port>;
  readonly #onBug: (thrown: unknown) => void;
  #opened: Promise<Opened<Port>> | undefined;
  #pending = 0;
  #over = false;

  constructor(link: Link, behind: Behind<Port>, onBug: (thrown: unknown) => void) {
    this.#link = link;
    this.#behind = behind;
    this.#onBug = onBug;
  }

  /** Begins to read from the link; ends with it. */
  start(): void {
    this.#link.start({
      line: (text) => this.#take(text),
      fault: (error) => this.#break(error),
      end: () => this.#end(),
    });
  }

  #take(text: string): void {
    if (this.#over) return;
    const request = readRequest(text);
    if (CountersignError.is(request)) return this.#break(request);
    if (this.#pending >= DOOR_LIMITS.pendingMax) {
      const message = `A connection may have ${DOOR_LIMITS.pendingMax} requests without an answer.`;
      return this.#refuse(request.id, new CountersignError('busy', message));
    }
    this.#pending += 1;
    void this.#answer(request).finally(() => {
      this.#pending -= 1;
    });
  }

  async #answer(request: Request): Promise<void> {
    const first = this.#opened === undefined;
    try {
      const line = JSON.stringify({ id: request.id, result: (await this.#handle(request)) ?? null });
      if (fitsLine(line)) this.#link.send(line);
      else this.#refuse(request.id, new CountersignError('full', 'The answer is larger than one message may be.'));
    } catch (thrown) {
      // An operational failure is the caller's to know; of a bug it learns no more than that there was one.
      const known = CountersignError.is(thrown);
      this.#refuse(
        request.id,
        known ? thrown : new CountersignError('effect-unknown', 'Countersign failed internally.'),
      );
      if (first || !known) this.#link.close();
      if (!known) this.#onBug(thrown);
    }
  }

  async #handle(request: Request): Promise<unknown> {
    if (request.method === 'hello') {
      if (this.#opened !== undefined) throw new CountersignError('bad-input', 'hello comes once.');
      this.#opened = this.#behind.hello(request.params);
      return (await this.#opened).welcome;
    }
    if (this.#opened === undefined) throw new CountersignError('bad-input', 'The first message is hello.');
    return this.#behind.call((await this.#opened).port, request);
  }

  #refuse(id: number | null, error: CountersignError): void {
    this.#link.send(JSON.stringify({ id, error: wireError(error) }));
  }

  /** What arrived cannot be read: whatever follows it cannot be trusted to be what the sender meant. */
  #break(error: CountersignError): void {
    this.#over = true;
    this.#refuse(null, error);
    this.#link.close();
  }

  #end(): void {
    this.#over = true;
    if (this.#opened === undefined) return;
    // A session that did not open has nothing to close; why it did not was the answer to hello.
    this.#opened.then(({ port }) => this.#behind.close(port).catch(this.#onBug)).catch(() => undefined);
  }
}

function readRequest(text: string): Request | CountersignError {
  try {
    return parseRequest(text);
  } catch (thrown) {
    if (CountersignError.is(thrown)) return thrown;
    throw thrown;
  }
}
