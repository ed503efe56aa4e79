import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { VERSION } from '../src/base/version.ts';
import { RELAY_LIMITS } from './limits.ts';

/** The relay's HTTP side: `GET /healthz` says that it is up, everything else is not found. */
export function createHealthServer(): Server {
  const server = createServer({ headersTimeout: RELAY_LIMITS.headMsMax }, answer);
  server.maxConnections = RELAY_LIMITS.connectionsMax;
  return server;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  // The path alone: a query changes nothing, and a malformed one must not either.
  const [path] = (request.url ?? '').split('?');
  if (request.method === 'GET' && path === '/healthz') {
    send(response, 200, 'application/json', JSON.stringify({ status: 'ok', version: VERSION }));
  } else {
    send(response, 404, 'text/plain; charset=utf-8', 'There is nothing here; this relay answers GET /healthz.\n');
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}
