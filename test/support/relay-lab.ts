import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { WebSocket } from 'ws';
import { openMemoryStore, openRelay, type Relay, type RelayOptions } from '../../sync-server/relay.ts';
import { protocolsFor, type Person } from './relay-people.ts';

export interface RelayLab {
  readonly relay: Relay;
  readonly origin: string;
  readonly http: string;
  readonly port: number;
  /** What `onFatal` was called with. */
  readonly failures: readonly unknown[];
  join(room: string, who?: Person | readonly string[]): Promise<RelayClient>;
}

/** A relay on a port of its own, gone when the test is. Open to everybody unless told otherwise. */
export async function relayLab(options: Partial<RelayOptions> = {}): Promise<RelayLab> {
  let relay: Relay | undefined;
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    if (relay?.handleRequest(request, response) !== true) response.writeHead(404).end('not the relay');
  });
  server.on('upgrade', (request, socket, head) => relay?.handleUpgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const origin = `ws://127.0.0.1:${port}`;
  relay = await openRelay({
    store: openMemoryStore(),
    admission: { open: true, homes: [], tokens: [] },
    origins: [origin],
    pageOrigins: [],
    onFatal: (cause) => failures.push(cause),
    ...options,
  });
  const opened = relay;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await opened.close();
  });
  const join = async (room: string, who: Person | readonly string[] = []): Promise<RelayClient> => {
    const protocols = 'signer' in who ? await protocolsFor(who, room, origin) : who;
    return new RelayClient(`${origin}/${room}`, protocols);
  };
  return { relay, origin, http: `http://127.0.0.1:${port}`, port, failures, join };
}

/** One frame, taken apart far enough to compare it. */
export type Seen =
  | { readonly type: 'step1' | 'step2' | 'update' | 'awareness'; readonly bytes: Uint8Array }
  | { readonly type: 'durable'; readonly through: number }
  | { readonly type: 'head'; readonly json: string }
  | { readonly type: 'other'; readonly bytes: Uint8Array };

/** A WebSocket that speaks in frames, keeps what it got, and waits for what it is told to wait for. */
export class RelayClient {
  readonly socket: WebSocket;
  readonly seen: Seen[] = [];
  readonly frames: Uint8Array[] = [];
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly #waiting: (() => void)[] = [];
  #over: { readonly code: number; readonly reason: string } | undefined;

  constructor(url: string, protocols: readonly string[], options: object = {}) {
    this.socket = new WebSocket(url, [...protocols], options);
    this.socket.on('message', (data: Buffer) => {
      const frame = new Uint8Array(data);
      this.frames.push(frame);
      this.seen.push(look(frame));
      this.#wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', (code, reason) => {
        this.#over = { code, reason: reason.toString() };
        resolve(this.#over);
        this.#wake();
      });
    });
    this.socket.on('error', () => undefined);
    onTestFinished(() => this.socket.terminate());
  }

  get over(): { readonly code: number; readonly reason: string } | undefined {
    return this.#over;
  }

  /** Kept when it is open; rejects when it closes first. */
  async open(): Promise<this> {
    if (this.socket.readyState === WebSocket.CONNECTING) await Promise.race([once(this.socket, 'open'), this.closed]);
    return this;
  }

  /** The first thing seen that is so, waiting for it; rejects when the socket closes without it. */
  async until<T extends Seen['type']>(type: T, is: (seen: Seen & { type: T }) => boolean = () => true) {
    for (;;) {
      // reason: the type was compared
      const found = this.seen.find((seen) => seen.type === type && is(seen as Seen & { type: T }));
      if (found !== undefined) return found as Seen & { type: T }; // reason: as above
      if (this.#over !== undefined) throw new Error(`closed with ${this.#over.code} before ${type}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Kept when everything that was sent before has been looked at: the relay answers in order. */
  async settled(): Promise<void> {
    const before = this.seen.filter(({ type }) => type === 'step2').length;
    this.sendStep1(Uint8Array.of(0));
    for (;;) {
      if (this.seen.filter(({ type }) => type === 'step2').length > before || this.#over !== undefined) return;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** A turn of the relay: there and back. */
  async turn(): Promise<void> {
    const back = once(this.socket, 'pong');
    this.socket.ping();
    await back;
  }

  sendStep1(stateVector: Uint8Array): void {
    this.#send(0, 0, stateVector);
  }

  sendStep2(update: Uint8Array): void {
    this.#send(0, 1, update);
  }

  sendUpdate(update: Uint8Array): void {
    this.#send(0, 2, update);
  }

  sendAwareness(update: Uint8Array): void {
    this.#send(1, undefined, update);
  }

  sendRaw(bytes: Uint8Array): void {
    this.socket.send(bytes);
  }

  #send(type: number, step: number | undefined, bytes: Uint8Array): void {
    this.socket.send(
      encoding.encode((encoder) => {
        encoding.writeVarUint(encoder, type);
        if (step !== undefined) encoding.writeVarUint(encoder, step);
        encoding.writeVarUint8Array(encoder, bytes);
      }),
    );
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}

function look(frame: Uint8Array): Seen {
  const decoder = decoding.createDecoder(frame);
  const type = decoding.readVarUint(decoder);
  if (type === 0) {
    const step = decoding.readVarUint(decoder);
    const bytes = decoding.readVarUint8Array(decoder);
    return { type: step === 0 ? 'step1' : step === 1 ? 'step2' : 'update', bytes };
  }
  if (type === 1) return { type: 'awareness', bytes: decoding.readVarUint8Array(decoder) };
  if (type === 100) return { type: 'durable', through: decoding.readVarUint(decoder) };
  if (type === 101) return { type: 'head', json: decoding.readVarString(decoder) };
  return { type: 'other', bytes: frame };
}

/** An awareness update that says one state of one client. */
export function saying(client: number, clock: number, json: string): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, clock);
    encoding.writeVarString(encoder, json);
  });
}
