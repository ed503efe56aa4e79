import { concat } from '../base/bytes.ts';
import type { Clock } from '../base/clock.ts';
import type { FetchAnswer, FetchRequest, SyncPorts } from './ports.ts';
import { notUnderstood, refusalOf, relayReasonOf, unreachable } from './relay-error.ts';

export const HTTP_LIMITS = {
  /** Milliseconds until an answer begins, and between two parts of it. */
  idleMsMax: 15_000,
  /** Milliseconds for one request: 20 MiB over a slow phone network. */
  requestMsMax: 5 * 60_000,
  /** Bytes of an answer that is one small JSON value. */
  smallBytesMax: 4 * 1024,
} as const;

export interface HttpCall {
  readonly method: FetchRequest['method'];
  /** Begins with `/`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** Bytes of the answer; reading stops there. */
  readonly bytesMax: number;
  readonly onProgress?: (bytes: number, bytesMax: number | undefined) => void;
}

/** Requests to one relay. */
export interface Http {
  /** The body of the answer. Throws: `closed` without one, else by its status. */
  call(call: HttpCall): Promise<Uint8Array>;
  /** Ends what is under way. */
  close(): void;
}

export function openHttp(relayUrl: string, ports: Pick<SyncPorts, 'fetch' | 'clock'>): Http {
  const base = relayUrl.replace(/^ws/, 'http');
  const underWay = new Set<AbortController>();
  let closed = false;
  return {
    async call(call) {
      if (closed) throw unreachable('The connection to the relay was closed.');
      const abort = new AbortController();
      underWay.add(abort);
      try {
        return await request(`${base}${call.path}`, call, ports, abort);
      } finally {
        underWay.delete(abort);
      }
    },
    close() {
      closed = true;
      for (const abort of underWay) abort.abort();
    },
  };
}

async function request(
  url: string,
  call: HttpCall,
  { clock, fetch }: Pick<SyncPorts, 'fetch' | 'clock'>,
  abort: AbortController,
): Promise<Uint8Array> {
  const watch = watchdog(clock, abort, call.body === undefined ? HTTP_LIMITS.idleMsMax : HTTP_LIMITS.requestMsMax);
  try {
    const answer = await watch.within(
      fetch(url, {
        method: call.method,
        headers: { ...call.headers },
        ...(call.body === undefined ? {} : { body: typeof call.body === 'string' ? call.body : owned(call.body) }),
        signal: watch.signal,
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      }),
    );
    const refusal = refusalOf(answer.status);
    if (refusal !== undefined) {
      // What it says beside the status is not read; nobody waits for it to end.
      answer.body?.cancel().catch(() => undefined);
      throw refusal;
    }
    return await readBody(answer, call, watch);
  } catch (thrown) {
    if (relayReasonOf(thrown) !== undefined) throw thrown;
    // Whatever `fetch` and its streams throw means that there is no answer: the network, a time-out, a redirect.
    throw unreachable('The relay cannot be reached.', thrown);
  } finally {
    watch.end();
  }
}

async function readBody(answer: FetchAnswer, call: HttpCall, watch: Watchdog): Promise<Uint8Array> {
  const said = Number(answer.headers.get('content-length') ?? Number.NaN);
  const wholeBytes = Number.isSafeInteger(said) && said >= 0 ? said : undefined;
  if ((wholeBytes ?? 0) > call.bytesMax) throw notUnderstood('The relay answers with more than was agreed on.');
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const reader = answer.body?.getReader();
  if (reader === undefined) return new Uint8Array(0);
  try {
    for (;;) {
      const part = await watch.within(reader.read());
      if (part.done) return concat(...parts);
      bytes += part.value.length;
      if (bytes > call.bytesMax) throw notUnderstood('The relay answers with more than was agreed on.');
      parts.push(part.value);
      call.onProgress?.(bytes, wholeBytes);
      watch.alive();
    }
  } finally {
    // After the end it does nothing; before it, it lets the connection go.
    reader.cancel().catch(() => undefined);
  }
}

interface Watchdog {
  readonly signal: AbortSignal;
  /** The answer, unless it is given up first: not every `fetch` heeds its signal. */
  within<T>(answer: Promise<T>): Promise<T>;
  /** Something came: the idle time starts anew. */
  alive(): void;
  end(): void;
}

function watchdog(clock: Clock, own: AbortController, firstMs: number): Watchdog {
  const abort = (): void => own.abort();
  let rejectAll: (cause: unknown) => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    rejectAll = reject;
  });
  // Seen by whoever waits; when nobody does, the end is no news.
  over.catch(() => undefined);
  own.signal.addEventListener('abort', () => rejectAll(unreachable('The relay took too long.')), { once: true });
  const cancelTotal = clock.after(HTTP_LIMITS.requestMsMax, abort);
  let cancelIdle = clock.after(firstMs, abort);
  return {
    signal: own.signal,
    within: (answer) => Promise.race([answer, over]),
    alive() {
      cancelIdle();
      cancelIdle = clock.after(HTTP_LIMITS.idleMsMax, abort);
    },
    end() {
      cancelIdle();
      cancelTotal();
    },
  };
}

/** The bytes in a buffer of their own: what a request body has to be, and what nobody changes meanwhile. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}
