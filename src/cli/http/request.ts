import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** What a request says of itself, before anything of it is believed. */
export interface HttpFacts {
  readonly method: string;
  /** The request target, as it was sent. */
  readonly target: string;
  /** Names and values in turn, as they were sent: a header that comes twice must not be folded into one. */
  readonly rawHeaders: readonly string[];
}

/** Why a request is turned away. `why` is one sentence, for whoever wrote the client. */
export interface Refusal {
  readonly status: number;
  readonly why: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Exact values of `Host` under which a port of this machine is served. Anything else is a name that somebody else pointed here. */
export function loopbackHosts(port: number): ReadonlySet<string> {
  return new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
}

/** The origin of the panel. One name only: under another name of this machine a page would be another device. */
export function panelOrigin(port: number): string {
  return `http://localhost:${port}`;
}

/** The headers that decide something; the name of one that came twice. */
export function singleHeaders<const N extends string>(
  rawHeaders: readonly string[],
  names: readonly N[],
): Readonly<Partial<Record<N, string>>> | N {
  const found: Partial<Record<N, string>> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = names.find((one) => one === rawHeaders[at]?.toLowerCase());
    if (name === undefined) continue;
    if (found[name] !== undefined) return name;
    found[name] = rawHeaders[at + 1] ?? '';
  }
  return found;
}

/** A path is the only form of target a client of ours sends: a whole address could name another host than `Host`. */
export function urlOf(target: string): URL | undefined {
  if (!target.startsWith('/') || target.startsWith('//')) return undefined;
  return URL.canParse(target, 'http://localhost') ? new URL(target, 'http://localhost') : undefined;
}

/** One sentence. The connection ends with it: what was refused unread must not be taken for the next request. */
export function refuse(response: ServerResponse, { headers = {}, status, why }: Refusal): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(why) + 1,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`${why}\n`);
}

/** The same for a request that wanted to become a WebSocket. */
export function refuseUpgrade(socket: Duplex, { status, why }: Refusal): void {
  // Whoever asked may be gone already; there is nobody to tell then.
  socket.on('error', () => undefined);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(why) + 1}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${why}\n`);
}
