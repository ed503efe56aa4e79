import { CountersignError } from '../base/errors.ts';
import { fitsLine } from './frame.ts';
import { DOOR_LIMITS } from './limits.ts';
import type { Link } from './link.ts';
import { fromWireError, parseResponse } from './messages.ts';

interface Waiting {
  readonly changes: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: CountersignError) => void;
}

/** The client's half of a door: requests under way at once, each answered by its id. */
export class DoorCalls {
  readonly #link: Link;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #dead: CountersignError | undefined;

  constructor(link: Link) {
    this.#link = link;
    link.start({
      line: (text) => this.#take(text),
      fault: (error) => this.#end(error),
      end: () => this.#end(new CountersignError('closed', 'The connection to the Countersign home has ended.')),
    });
  }

  /**
   * Throws: what the home answered; `closed` when the connection ends first, with `effect: 'unknown'` for a request
   * that `changes` something, because the home may have taken it.
   */
  async request(method: string, params: unknown, { changes }: { readonly changes: boolean }): Promise<unknown> {
    if (this.#dead !== undefined) throw this.#dead;
    if (this.#waiting.size >= DOOR_LIMITS.pendingMax) {
      throw new CountersignError('busy', `A connection may have ${DOOR_LIMITS.pendingMax} requests without an answer.`);
    }
    this.#lastId += 1;
    const id = this.#lastId;
    const line = JSON.stringify({ id, method, params });
    if (!fitsLine(line)) throw new CountersignError('full', 'The request is larger than one message may be.');
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { changes, resolve, reject });
      this.#link.send(line);
    });
  }

  close(): void {
    this.#end(new CountersignError('closed', 'The connection to the Countersign home was closed here.'));
  }

  #take(text: string): void {
    if (this.#dead !== undefined) return;
    const response = readResponse(text);
    if (CountersignError.is(response)) return this.#end(response);
    if (response.type === 'broken') return this.#end(fromWireError(response.error));
    const waiting = this.#waiting.get(response.id);
    if (waiting === undefined) return this.#end(new CountersignError('bad-input', 'The home answered no request.'));
    this.#waiting.delete(response.id);
    if (response.type === 'error') waiting.reject(fromWireError(response.error));
    else waiting.resolve(response.result);
  }

  #end(error: CountersignError): void {
    if (this.#dead !== undefined) return;
    this.#dead = error.code === 'closed' ? error : new CountersignError('closed', error.message, { cause: error });
    this.#link.close();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { changes, reject } of waiting) reject(changes ? lostDuringCall(error) : this.#dead);
  }
}

function lostDuringCall(cause: CountersignError): CountersignError {
  const message =
    'The connection to the Countersign home ended during this call, which may or may not have been taken.';
  return new CountersignError('closed', message, { cause, effect: 'unknown' });
}

function readResponse(text: string): ReturnType<typeof parseResponse> | CountersignError {
  try {
    return parseResponse(text);
  } catch (thrown) {
    if (CountersignError.is(thrown)) return thrown;
    throw thrown;
  }
}
