import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';

interface Entry<Owner> {
  readonly owner: Owner;
  readonly clock: number;
  /** JSON, passed on as it came. */
  readonly json: string;
}

interface Said {
  readonly client: number;
  readonly clock: number;
  readonly json: string;
}

const GONE = 'null';

/**
 * What everybody in a room shows of themselves (y-protocols awareness), without looking into it. A client id belongs
 * to the caller that said it first, so that nobody can speak for another or take them off the board.
 */
export class Presence<Owner extends { readonly callerName: string }> {
  readonly #entries = new Map<number, Entry<Owner>>();
  readonly #clientsMax: number;

  constructor(clientsMax: number) {
    this.#clientsMax = clientsMax;
  }

  /**
   * What of it everybody should see, and the awareness update that shows it, for the sender too: it is how a stock
   * client knows that the line is alive. `undefined`: it is malformed, or says more client ids than a connection has.
   */
  say(owner: Owner, update: Uint8Array): { readonly news: number; readonly update: Uint8Array } | undefined {
    const said = readAwareness(update);
    if (said === undefined || said.length > this.#clientsMax) return undefined;
    const news = said.filter((each) => this.#isNews(owner, each));
    const fresh = news.filter(({ client }) => this.#entries.get(client)?.owner !== owner).length;
    if (this.#countOf(owner) + fresh > this.#clientsMax) return undefined;
    for (const { client, clock, json } of news) {
      if (json === GONE) this.#entries.delete(client);
      else this.#entries.set(client, { owner, clock, json });
    }
    return { news: news.length, update: encodeAwareness(news) };
  }

  /** Everybody; `undefined` when nobody shows anything. */
  all(): Uint8Array | undefined {
    if (this.#entries.size === 0) return undefined;
    return encodeAwareness([...this.#entries].map(([client, { clock, json }]) => ({ client, clock, json })));
  }

  /** Takes a connection off the board. The update that says so; `undefined` when it showed nothing. */
  leave(owner: Owner): Uint8Array | undefined {
    const gone: Said[] = [];
    for (const [client, entry] of this.#entries) {
      if (entry.owner !== owner) continue;
      this.#entries.delete(client);
      gone.push({ client, clock: entry.clock, json: GONE });
    }
    return gone.length === 0 ? undefined : encodeAwareness(gone);
  }

  #isNews(owner: Owner, { client, clock, json }: Said): boolean {
    const entry = this.#entries.get(client);
    if (entry === undefined) return json !== GONE;
    if (entry.owner !== owner) {
      // The same caller on a newer connection: the older one is gone and nobody has noticed yet.
      return entry.owner.callerName === owner.callerName && clock >= entry.clock && json !== GONE;
    }
    return clock > entry.clock || (clock === entry.clock && json === GONE);
  }

  #countOf(owner: Owner): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.owner === owner) count += 1;
    return count;
  }
}

/** Each state has to be JSON: a stock client ends its program at one that is not. */
function readAwareness(update: Uint8Array): readonly Said[] | undefined {
  try {
    const decoder = decoding.createDecoder(update);
    const count = decoding.readVarUint(decoder);
    if (count > update.length) return undefined;
    const said = Array.from({ length: count }, () => ({
      client: decoding.readVarUint(decoder),
      clock: decoding.readVarUint(decoder),
      json: decoding.readVarString(decoder),
    }));
    for (const { json } of said) JSON.parse(json);
    return decoding.hasContent(decoder) ? undefined : said;
  } catch (thrown) {
    // lib0 throws plain Errors, `JSON.parse` a SyntaxError, and the decoder of strings a TypeError or a URIError.
    if (thrown instanceof Error) return undefined;
    throw thrown;
  }
}

function encodeAwareness(entries: readonly Said[]): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, entries.length);
    for (const { client, clock, json } of entries) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, clock);
      encoding.writeVarString(encoder, json);
    }
  });
}
