import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Facts } from './guard.ts';

/** One request that may be answered, and the answer's headers so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly facts: Facts;
  readonly url: URL;
}

/** Ends an exchange with a status and one sentence; thrown where the reason is found. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, sentence: string, headers: Readonly<Record<string, string>> = {}) {
    super(sentence);
    this.status = status;
    this.headers = headers;
  }
}

export function sendJson(response: ServerResponse, value: unknown): void {
  send(response, 200, 'application/json', JSON.stringify(value));
}

export function sendText(response: ServerResponse, status: number, sentence: string): void {
  send(response, status, 'text/plain; charset=utf-8', `${sentence}\n`);
}

export function sendNothing(response: ServerResponse): void {
  response.writeHead(204, { 'cache-control': 'no-store' }).end();
}

/** Sealed bytes and documents: never anything that a browser would run. */
export function sendBytes(response: ServerResponse, bytes: Uint8Array, caching: string): void {
  send(response, 200, 'application/octet-stream', bytes, caching);
}

export function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string | Uint8Array,
  caching = 'no-store',
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': caching,
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/**
 * The body of a request.
 *
 * Throws: `Refusal` 413 as soon as it is longer than it may be, 400 when it breaks off.
 */
export async function readBody({ facts, request }: Exchange, bytesMax: number): Promise<Uint8Array> {
  if (Number(facts['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      // reason: a request without an encoding gives Buffers
      const chunk = part as Buffer;
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      parts.push(chunk);
    }
  } catch (thrown) {
    if (thrown instanceof Refusal) throw thrown;
    // The connection broke off: there is nobody to tell.
    throw new Refusal(400, 'The body broke off.');
  }
  return Buffer.concat(parts);
}

function tooLarge(bytesMax: number): Refusal {
  return new Refusal(413, `A body may have ${bytesMax} bytes at most here.`, { connection: 'close' });
}

/** A form or a text body is what a page can send anywhere without being asked first. */
export function requireType({ facts }: Exchange, type: 'application/json' | 'application/octet-stream'): void {
  const given = facts['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (given !== type) throw new Refusal(415, `The body must be ${type}.`);
}
