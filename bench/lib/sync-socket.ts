import { once } from 'node:events';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { Dialect, Heard } from './sync-dialect.ts';

/** One end of a measurement: an open socket that speaks a dialect and counts. */
export interface BenchSocket {
  send(update: Uint8Array): void;
  step1(stateVector: Uint8Array): void;
  /** Resolves with the next thing of this kind that comes. */
  next(type: Heard['type']): Promise<Heard>;
  /** Resolves when so many updates have come since the socket was opened. */
  updates(count: number): Promise<void>;
  /** Resolves when the other side has so many of our changes on its disk. */
  durable(count: number): Promise<void>;
  /** Bytes of the messages of the document since it opened, both ways: states, changes, nothing else. */
  readonly documentBytes: number;
  /** Bytes of all messages since it opened, both ways: everything after the upgrade but the headers of frames. */
  readonly allBytes: number;
  /** Rejects when the socket closes: for whoever waits for what another one should hear of it. */
  readonly ended: Promise<never>;
  /** Stops reading, as a device does that went to sleep with its radio on. */
  pause(): void;
  close(): Promise<void>;
}

interface Waiting {
  readonly met: (heard: Heard) => boolean;
  readonly resolve: (heard: Heard) => void;
  readonly reject: (cause: Error) => void;
}

export async function openSocket(options: {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly dialect: Dialect;
}): Promise<BenchSocket> {
  const { url, protocols, dialect } = options;
  const socket = new WebSocket(url, [...protocols], { perMessageDeflate: false });
  const waiting = new Set<Waiting>();
  const count = { updates: 0, durable: 0, bytes: 0, all: 0 };
  let wire: Socket | undefined;
  socket.on('upgrade', (response) => (wire = response.socket));
  socket.on('message', (data: Buffer) => {
    const heard = dialect.read(data);
    count.all += data.length;
    if (heard.type !== 'other') count.bytes += data.length;
    if (heard.type === 'update') count.updates += 1;
    if (heard.type === 'durable') count.durable = heard.count;
    for (const each of waiting) {
      if (!each.met(heard)) continue;
      waiting.delete(each);
      each.resolve(heard);
    }
  });
  // The close that follows says what matters.
  socket.on('error', () => undefined);
  const ended = once(socket, 'close').then(([code]) => {
    const cause = new Error(`${url} closed with ${String(code)}`);
    for (const each of waiting) each.reject(cause);
    waiting.clear();
    throw cause;
  });
  // Who waits for nothing is not disturbed.
  ended.catch(() => undefined);
  const when = (met: Waiting['met']) => new Promise<Heard>((resolve, reject) => waiting.add({ met, resolve, reject }));
  await opened(socket);
  const send = (message: Uint8Array): void => {
    count.bytes += message.length;
    count.all += message.length;
    socket.send(message);
  };
  for (const message of dialect.hello) {
    count.all += message.length;
    socket.send(message);
  }
  return {
    send: (update) => send(dialect.update(update)),
    step1: (stateVector) => send(dialect.step1(stateVector)),
    next: (type) => when((heard) => heard.type === type),
    updates: async (n) => void (count.updates >= n || (await when(() => count.updates >= n))),
    durable: async (n) => void (count.durable >= n || (await when(() => count.durable >= n))),
    get documentBytes() {
      return count.bytes;
    },
    get allBytes() {
      return count.all;
    },
    ended,
    pause: () => wire?.pause(),
    async close() {
      if (socket.readyState === WebSocket.CLOSED) return;
      const closed = once(socket, 'close');
      socket.terminate();
      await closed;
    },
  };
}

async function opened(socket: WebSocket): Promise<void> {
  const refused = once(socket, 'close').then(([code]) => {
    throw new Error(`${socket.url} closed with ${String(code)} before it opened`);
  });
  await Promise.race([once(socket, 'open'), refused]);
}
