import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { fromSubprotocols, PROTOCOL } from '../src/access/credentials.ts';
import { err, ok, type Result } from '../src/base/result.ts';
import type { HomeId } from '../src/model/ids.ts';
import { CLOSE_CODES, type CloseReason } from '../src/sync/close-codes.ts';
import { callerName, checkCredentials, type Caller } from './caller.ts';
import { isWelcome, ownerOf, type Core } from './core.ts';
import { Corked } from './corked.ts';
import { bearerOf, judge, type Facts } from './http/guard.ts';
import * as outgoing from './outgoing.ts';
import { roleIn, type Role } from './roles.ts';
import type { Room } from './room.ts';
import { closeInTime, RoomSocket } from './room-socket.ts';
import { parseTarget, type Target } from './target.ts';

interface Wanted {
  readonly target: Target;
  readonly caller: Caller;
  readonly role: Exclude<Role, 'none'>;
  readonly speaksOurs: boolean;
  /** Names the head the caller has, if it has one. */
  readonly headWord: string | undefined;
}

interface Refused {
  readonly reason: CloseReason;
  readonly why: string;
}

const GOING_AWAY = 1001;
const TRY_AGAIN = 1013;
/** Milliseconds between two looks at who is still there; who did not answer the last one is gone. */
const PROBE_MS = 30_000;

/** Every WebSocket of a relay. */
export class Sockets {
  readonly #core: Core;
  readonly #server: WebSocketServer;
  readonly #open = new Map<RoomSocket, Target>();
  readonly #corked = new Corked();
  #stopping = false;
  #cancelProbe = (): void => undefined;

  constructor(core: Core) {
    this.#core = core;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: core.limits.frameBytesMax,
      // A browser drops a connection that was offered subprotocols and is given none.
      handleProtocols: (asked) => (asked.has(PROTOCOL) ? PROTOCOL : ([...asked][0] ?? false)),
    });
    this.#probeLater();
  }

  handleUpgrade(request: IncomingMessage, stream: Duplex, head: Uint8Array): void {
    const { addresses, meters, names } = this.#core;
    const address = request.socket.remoteAddress ?? '';
    // Before `ws` listens, an error of the connection would end the process.
    stream.on('error', () => stream.destroy());
    const refuse = (status: string, why: string): void => {
      meters.count('refusals');
      stream.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${why}\n`);
    };
    if (this.#stopping) return refuse('503 Service Unavailable', 'The relay stops.');
    if (!addresses.mayAsk(address)) return refuse('429 Too Many Requests', CLOSE_CODES['too-fast'].sentence);
    const judged = judge(request, names);
    if (!judged.ok) return refuse(judged.status === 400 ? '400 Bad Request' : '403 Forbidden', judged.why);
    const giveBack = addresses.takePlace(address);
    if (giveBack === undefined) return refuse('429 Too Many Requests', 'Too many connections are open.');
    // However the connection ends, its place is free again.
    stream.once('close', giveBack);
    const wanted = this.#judgeAsked(judged.url, judged.facts, address);
    this.#server.handleUpgrade(request, stream, Buffer.from(head), (webSocket) => {
      if (wanted.ok) void this.#admit(webSocket, stream, wanted.value);
      else this.#turnAway(webSocket, wanted.error, judged.url.pathname);
    });
  }

  /** A home has a newer head: who is not in it leaves, who reads what is not current looks again, the rest is told. */
  enforceHead(home: HomeId): void {
    const { heads, limits } = this.#core;
    const known = heads.of(home);
    if (known === undefined) return;
    const message = outgoing.head(known.json);
    const frame = message.length <= limits.frameBytesMax ? outgoing.wireFrame(message) : undefined;
    for (const [socket, { room }] of this.#open) {
      if (room === 'free' || room.home !== home) continue;
      if (!this.#isWelcome(socket.caller)) {
        // The last thing it is told is the home's own word that it was removed.
        if (socket.speaksOurs && frame !== undefined) socket.send(frame);
        socket.end('forbidden', 'The home does not name this device any more.');
      } else if (heads.isRetired(room) && socket.role === 'reader') socket.end('gone', 'A newer room took its place.');
      else if (!socket.speaksOurs) continue;
      else if (frame === undefined) socket.end('gone', 'The head is too large for a frame.');
      else socket.send(frame);
    }
  }

  /** Ends every socket; kept when all are gone. */
  async close(): Promise<void> {
    this.#stopping = true;
    this.#cancelProbe();
    const sockets = [...this.#open.keys()];
    const gone = sockets.map((socket) => socket.gone);
    for (const socket of sockets) socket.goAway(GOING_AWAY, 'The relay stops.');
    await Promise.all(gone);
  }

  #judgeAsked(url: URL, facts: Facts, address: string): Result<Wanted, Refused> {
    const asked = (facts['sec-websocket-protocol'] ?? '').split(',').map((word) => word.trim());
    const target = parseTarget(url.pathname);
    if (!target.ok) return refused('forbidden', target.error);
    const caller = this.#callerOf(target.value.name, asked, facts, address);
    if (!caller.ok) return caller;
    const role = roleIn(target.value, caller.value);
    if (role === 'none' || !this.#isWelcome(caller.value))
      return refused('forbidden', `It is not for ${callerName(caller.value)}.`);
    const has = asked.find((word) => word.startsWith('head.'));
    const speaksOurs = asked.includes(PROTOCOL);
    return ok({ target: target.value, caller: caller.value, role, speaksOurs, headWord: has });
  }

  #callerOf(room: string, asked: readonly string[], facts: Facts, address: string): Result<Caller, Refused> {
    const { addresses, checks, door } = this.#core;
    const shown = asked.find((word) => word.startsWith('token.'))?.slice('token.'.length) ?? bearerOf(facts);
    const token = shown === undefined ? undefined : door.token(shown);
    const credentials = fromSubprotocols(asked);
    if (credentials !== undefined) {
      if (!addresses.mayProve(address)) return refused('too-fast', 'Too many proofs.');
      const checked = credentials.ok ? checkCredentials(checks, credentials.value, room) : credentials;
      if (!checked.ok) return refused('unauthenticated', checked.error);
      return ok(checked.value.type === 'home' ? { ...checked.value, admittedBy: token } : checked.value);
    }
    if (token !== undefined) return ok({ type: 'token', token });
    if (shown === undefined && door.open) return ok({ type: 'stranger' });
    return refused('unauthenticated', shown === undefined ? 'It showed nothing.' : 'The token is none of ours.');
  }

  #isWelcome(caller: Caller): boolean {
    return caller.type === 'token' || caller.type === 'stranger' || isWelcome(this.#core, caller);
  }

  #turnAway(webSocket: WebSocket, { reason, why }: Refused, path: string): void {
    const { code, sentence } = CLOSE_CODES[reason];
    this.#core.meters.count('closes');
    this.#core.log.info({ path, code, why }, 'turned away');
    webSocket.on('error', () => webSocket.terminate());
    closeInTime(webSocket, this.#core.clock, code, sentence);
  }

  async #admit(webSocket: WebSocket, stream: Duplex, wanted: Wanted): Promise<void> {
    const { clock, limits, log, meters, rooms } = this.#core;
    const { caller, role, speaksOurs, target } = wanted;
    const onEnd = ({ code, why }: { readonly code: number; readonly why: string }): void => {
      this.#open.delete(socket);
      log.info({ room: target.name, caller: socket.callerName, code, why }, 'closed');
    };
    const corked = this.#corked;
    const asked = { caller, role, speaksOurs };
    const socket = new RoomSocket({ webSocket, stream, corked, ...asked, limits, clock, meters, onEnd });
    this.#open.set(socket, target);
    log.info({ room: target.name, caller: socket.callerName, role }, 'opened');
    const cancel = clock.after(limits.handshakeMsMax, () => socket.goAway(TRY_AGAIN, 'The room took too long.'));
    try {
      const entered = await rooms.use(target, ownerOf(target, caller), (room) => this.#enter(socket, room, wanted));
      if (entered === 'full') socket.end('full', 'Too many rooms are open.');
    } catch (thrown) {
      // The relay was told why the room cannot be read; this socket only learns that it should try again.
      log.error({ room: target.name, err: thrown }, 'a room could not be read');
      socket.goAway(TRY_AGAIN, 'The room could not be read.');
    } finally {
      cancel();
    }
  }

  #enter(socket: RoomSocket, room: Room, { caller, headWord: has, role, target }: Wanted): void {
    const { heads } = this.#core;
    // The room may have taken its time, and a head may have come meanwhile.
    if (socket.ended) return;
    if (!this.#isWelcome(caller)) return socket.end('forbidden', 'The home does not name this device any more.');
    if (target.room !== 'free' && role === 'reader' && heads.isRetired(target.room))
      return socket.end('gone', 'A newer room took its place.');
    if (room.enter(socket) === 'full') return socket.end('too-fast', 'The room is full.');
    if (target.room !== 'free' && socket.speaksOurs) this.#showHead(socket, target.room.home, has);
    socket.start(room);
  }

  #showHead(socket: RoomSocket, home: HomeId, has: string | undefined): void {
    const known = this.#core.heads.of(home);
    const message = known === undefined || known.word === has ? undefined : outgoing.head(known.json);
    if (message !== undefined && message.length <= this.#core.limits.frameBytesMax)
      socket.send(outgoing.wireFrame(message));
  }

  #probeLater(): void {
    this.#cancelProbe = this.#core.clock.after(PROBE_MS, () => {
      for (const socket of this.#open.keys()) socket.probe();
      this.#probeLater();
    });
  }
}

function refused(reason: CloseReason, why: string): Result<never, Refused> {
  return err({ reason, why });
}
