import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { CountersignError } from '../../base/errors.ts';
import { codeOf, wordsOf } from '../state/node-errors.ts';

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface LoopbackServers {
  readonly port: number;
  close(): Promise<void>;
}

/** Tries to find a port that is free on both addresses, when any will do. */
const TRIES = 8;

/**
 * Serves HTTP on 127.0.0.1 and, where the machine has it, on ::1, with one port for both: a port that is ours on one
 * and somebody else's on the other would let them answer to `localhost`.
 *
 * Throws: `busy` when the port is in use; `denied` when it may not be listened on.
 */
export async function listenLoopback(options: {
  /** 0: any free one. */
  readonly port: number;
  readonly connectionsMax: number;
  readonly onRequest: RequestListener;
  /** A request to become a WebSocket. Without it such a request is answered as any other. */
  readonly onUpgrade?: UpgradeListener;
}): Promise<LoopbackServers> {
  for (let left = TRIES; ; left -= 1) {
    const first = await listen(options, '127.0.0.1', options.port);
    const port = portOf(first);
    const second = await listen(options, '::1', port).catch(async (thrown: unknown) => {
      if (lacksAddress(thrown)) return undefined;
      await end(first);
      if (options.port === 0 && left > 1 && codeOf(thrown) === 'EADDRINUSE') return 'again';
      throw failure(port, thrown);
    });
    if (second === 'again') continue;
    const servers = second === undefined ? [first] : [first, second];
    return { port, close: async () => void (await Promise.all(servers.map(end))) };
  }
}

async function listen(
  { connectionsMax, onRequest, onUpgrade, port: wanted }: Parameters<typeof listenLoopback>[0],
  host: '127.0.0.1' | '::1',
  port: number,
): Promise<Server> {
  const server = createServer(onRequest);
  server.maxConnections = connectionsMax;
  if (onUpgrade !== undefined) server.on('upgrade', onUpgrade);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (thrown) => reject(host === '127.0.0.1' ? failure(wanted, thrown) : thrown));
    server.listen({ port, host, exclusive: true }, resolve);
  });
  return server;
}

function failure(port: number, cause: unknown): CountersignError {
  if (codeOf(cause) === 'EADDRINUSE') {
    return new CountersignError('busy', `Port ${port} is in use by another program; choose another with --port.`, {
      cause,
    });
  }
  return new CountersignError('denied', `Port ${port} cannot be listened on: ${wordsOf(cause)}.`, { cause });
}

/** A machine without IPv6 has no ::1. */
function lacksAddress(thrown: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(codeOf(thrown) ?? '');
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new CountersignError('denied', 'The server has no port.');
  return address.port;
}

async function end(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
