import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import type { RelayLimits } from './limits.ts';

interface Entry<Owner> {
  readonly owner: Owner;
  readonly clock: number;
  /** JSON, passed on as it came. */
  readonly json: string;
}

interface State {
  readonly client: number;
  readonly clock: number;
  readonly json: string;
}

export type PresenceLimits = Pick<RelayLimits, 'awarenessBytesMax' | 'awarenessClientsMax'>;

/** What became of an awareness update; `news` counts the states in what everybody should see of it. */
export type Said =
  | { readonly type: 'said'; readonly news: number; readonly update: Uint8Array }
  | { readonly type: 'malformed' | 'too-large' };

const GONE = 'null';

/**
 * What everybody in a room shows of themselves (y-protocols awareness), without looking into it. A client id belongs
 * to the caller that said it first, so that nobody can speak for another or take them off the board.
 */
export class Presence<Owner extends { readonly callerName: string }> {
  readonly #entries = new Map<number, Entry<Owner>>();
  readonly #limits: PresenceLimits;

  constructor(limits: PresenceLimits) {
    this.#limits = limits;
  }

  /**
   * What of it is news to everybody: a stock client says again whatever it hears. The answer goes to the sender in any
   * case, since it is how a stock client knows that the line is alive.
   */
  say(owner: Owner, update: Uint8Array): Said {
    const states = readAwareness(update);
    if (states === undefined) return { type: 'malformed' };
    const news = states.filter((state) => this.#isNews(owner, state));
    if (news.some(({ json }) => json.length > this.#limits.awarenessBytesMax)) return { type: 'too-large' };
    const fresh = news.filter(({ client }) => this.#entries.get(client)?.owner !== owner).length;
    if (this.#countOf(owner) + fresh > this.#limits.awarenessClientsMax) return { type: 'too-large' };
    if (!news.every(({ json }) => isJson(json))) return { type: 'malformed' };
    for (const { client, clock, json } of news) {
      if (json === GONE) this.#entries.delete(client);
      else this.#entries.set(client, { owner, clock, json });
    }
    return { type: 'said', news: news.length, update: encodeAwareness(news) };
  }

  /** Answers who says something that nobody is to see, by the same bounds. */
  hear(update: Uint8Array): Said {
    const states = readAwareness(update);
    if (states === undefined) return { type: 'malformed' };
    if (states.some(({ json }) => json.length > this.#limits.awarenessBytesMax)) return { type: 'too-large' };
    return { type: 'said', news: 0, update: encodeAwareness([]) };
  }

  /** Everybody; `undefined` when nobody shows anything. */
  all(): Uint8Array | undefined {
    if (this.#entries.size === 0) return undefined;
    return encodeAwareness([...this.#entries].map(([client, { clock, json }]) => ({ client, clock, json })));
  }

  /** Takes a connection off the board. The update that says so; `undefined` when it showed nothing. */
  leave(owner: Owner): Uint8Array | undefined {
    const gone: State[] = [];
    for (const [client, entry] of this.#entries) {
      if (entry.owner !== owner) continue;
      this.#entries.delete(client);
      gone.push({ client, clock: entry.clock, json: GONE });
    }
    return gone.length === 0 ? undefined : encodeAwareness(gone);
  }

  #isNews(owner: Owner, { client, clock, json }: State): boolean {
    const entry = this.#entries.get(client);
    if (entry === undefined) return json !== GONE;
    if (entry.owner !== owner) {
      // The same caller on a newer connection: the older one is gone and nobody has noticed yet.
      return entry.owner.callerName === owner.callerName && clock > entry.clock && json !== GONE;
    }
    return clock > entry.clock || (clock === entry.clock && json === GONE);
  }

  #countOf(owner: Owner): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.owner === owner) count += 1;
    return count;
  }
}

function readAwareness(update: Uint8Array): readonly State[] | undefined {
  try {
    const decoder = decoding.createDecoder(update);
    const count = decoding.readVarUint(decoder);
    if (count > update.length) return undefined;
    const states = Array.from({ length: count }, () => ({
      client: decoding.readVarUint(decoder),
      clock: decoding.readVarUint(decoder),
      json: decoding.readVarString(decoder),
    }));
    return decoding.hasContent(decoder) ? undefined : states;
  } catch (thrown) {
    // lib0 throws plain Errors, and its decoder of strings a TypeError or a URIError.
    if (thrown instanceof Error) return undefined;
    throw thrown;
  }
}

/** A stock client ends its program at a state that is none. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // JSON.parse throws a SyntaxError, and nothing else.
    return false;
  }
}

function encodeAwareness(entries: readonly State[]): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, entries.length);
    for (const { client, clock, json } of entries) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, clock);
      encoding.writeVarString(encoder, json);
    }
  });
}
