import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { Link } from '../../door/link.ts';
import { codeOf, wordsOf } from '../state/node-errors.ts';
import { connectSocket } from './connect.ts';
import { SOCKET_LIMITS } from './limits.ts';
import { socketLink } from './socket-link.ts';

export interface SocketServer {
  readonly path: string;
  /** Takes no more connections, ends those that are open after what was sent, and removes the socket. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** From `socketPath`, in a folder that `makeSocketFolder` made. */
  readonly path: string;
  readonly clock: Clock;
  readonly onLink: (link: Link) => void;
  /** Hears when listening fails after it began. */
  readonly onError: (thrown: unknown) => void;
}

/**
 * Listens on a Unix socket, 0600. A socket file that nobody answers on is left over and is replaced.
 *
 * Throws: `held-elsewhere` when somebody answers on it; `denied` when something else stands there.
 */
export async function listenSocket(options: ListenOptions): Promise<SocketServer> {
  const { path, clock } = options;
  await removeStale(path, clock);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    options.onLink(socketLink(socket));
  });
  server.maxConnections = SOCKET_LIMITS.connectionsMax;
  await listen(server, path);
  server.on('error', options.onError);
  await chmod(path, 0o600);
  return { path, close: () => closeAll(server, sockets, clock) };
}

async function removeStale(path: string, clock: Clock): Promise<void> {
  const stats = await lstat(path).catch((cause: unknown) => {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw new CountersignError('denied', `${path} cannot be used: ${wordsOf(cause)}.`, { cause });
  });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new CountersignError('denied', `${path} is in the way and is not a socket.`);
  const link = await connectSocket({ path, clock }).catch((thrown: unknown) => {
    // Refused: its owner died without removing it. Anything else is an owner that lives.
    if (CountersignError.is(thrown) && thrown.code === 'closed') return undefined;
    throw thrown;
  });
  if (link !== undefined) {
    link.close();
    throw new CountersignError('held-elsewhere', `Another process answers on ${path}.`);
  }
  await rm(path, { force: true });
}

async function listen(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown): void => {
      const code = codeOf(cause) === 'EADDRINUSE' ? 'held-elsewhere' : 'denied';
      reject(new CountersignError(code, `${path} cannot be listened on: ${wordsOf(cause)}.`, { cause }));
    };
    server.once('error', fail);
    server.listen(path, () => {
      server.off('error', fail);
      resolve();
    });
  });
}

async function closeAll(server: Server, sockets: ReadonlySet<Socket>, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(SOCKET_LIMITS.closeMsMax, () => {
      for (const socket of sockets) socket.destroy();
    });
    server.close(() => {
      cancel();
      resolve();
    });
    for (const socket of sockets) socket.end();
  });
}
