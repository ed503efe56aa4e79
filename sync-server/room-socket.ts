import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Cancel, Clock } from '../src/base/clock.ts';
import { CLOSE_CODES, type CloseReason } from '../src/sync/close-codes.ts';
import { Bucket } from './bucket.ts';
import { callerName, type Caller } from './caller.ts';
import type { Corked } from './corked.ts';
import { readIncoming } from './incoming.ts';
import type { PaceName, RelayLimits } from './limits.ts';
import type { Meters } from './metrics.ts';
import * as outgoing from './outgoing.ts';
import type { WireFrame } from './outgoing.ts';
import type { Role } from './roles.ts';
import type { Peer, Room } from './room.ts';

export interface RoomSocketParts {
  readonly webSocket: WebSocket;
  /** What the WebSocket stands on: frames that go to many are written to it as they are. */
  readonly stream: Duplex;
  readonly corked: Corked;
  readonly caller: Caller;
  readonly role: Exclude<Role, 'none'>;
  readonly speaksOurs: boolean;
  readonly limits: RelayLimits;
  readonly clock: Clock;
  readonly meters: Meters;
  /** Once, however it ended. */
  readonly onEnd: (why: { readonly code: number; readonly why: string }) => void;
}

/** The code `ws` closes with by itself for a message that is longer than it may be (RFC 6455). */
const TOO_BIG = 1009;

/** Milliseconds the other side has to answer a close; then the connection is cut. */
const CLOSE_MS = 5_000;

/** Says why, and does not wait long for an answer: a peer that reads nothing holds what was queued for it. */
export function closeInTime(webSocket: WebSocket, clock: Clock, code: number, sentence: string): void {
  const cancel = clock.after(CLOSE_MS, () => webSocket.terminate());
  webSocket.once('close', cancel);
  webSocket.close(code, sentence);
}

/** One WebSocket in one room: reads at its pace, writes while the other side keeps up, counts what is durable. */
export class RoomSocket implements Peer {
  readonly role: Exclude<Role, 'none'>;
  readonly caller: Caller;
  readonly callerName: string;
  readonly speaksOurs: boolean;
  readonly #parts: RoomSocketParts;
  readonly #frames: Bucket;
  readonly #bytes: Bucket;
  readonly #steps: Bucket;
  #room: Room | undefined;
  #why = 'The other side left.';
  #ending = false;
  #cancelPause: Cancel = () => undefined;
  /** Why nothing is read: it sends faster than it may, or than the disk writes. */
  readonly #pausedBy = new Set<'pace' | 'disk'>();
  /** Bytes of changes that wait for the disk. */
  #unstoredBytes = 0;
  /** Bytes of one large answer on its way, which is no sign of a slow reader. */
  #largeBytes = 0;
  /** Messages with changes so far, and the commit that has the newest of them. */
  #changes = 0;
  #batch: Promise<void> | undefined;
  #batchEnd = { changes: 0, bytes: 0 };
  #alive = true;
  /** Kept when the connection has ended. */
  readonly gone: Promise<void>;

  constructor(parts: RoomSocketParts) {
    const { caller, clock, limits, role, speaksOurs } = parts;
    this.#parts = parts;
    this.role = role;
    this.caller = caller;
    this.callerName = callerName(caller);
    this.speaksOurs = speaksOurs;
    const pace = limits.pace[paceOf(role, caller)];
    this.#frames = new Bucket(pace.frames, clock.nowMs());
    this.#bytes = new Bucket(pace.bytes, clock.nowMs());
    this.#steps = new Bucket(limits.steps, clock.nowMs());
    this.gone = new Promise((resolve) => parts.webSocket.once('close', () => resolve()));
    this.#listen();
  }

  /** Begins to read. Until now the other side's bytes waited in the network. */
  start(room: Room): void {
    this.#room = room;
    this.#parts.webSocket.resume();
  }

  get ended(): boolean {
    return this.#ending;
  }

  send(frame: WireFrame): void {
    if (this.#ending) return;
    const { corked, limits, stream } = this.#parts;
    const waiting = stream.writableLength;
    if (waiting <= limits.bufferedBytesMax) this.#largeBytes = 0;
    else if (waiting > limits.bufferedBytesMax + this.#largeBytes) return this.end('slow', `${waiting} bytes wait.`);
    if (frame.length > limits.bufferedBytesMax) this.#largeBytes = frame.length;
    corked.write(stream, frame);
  }

  acknowledge(stored: Promise<void>, bytes: number): void {
    this.#changes += 1;
    this.#unstoredBytes += bytes;
    if (this.#unstoredBytes > this.#parts.limits.unstoredBytesMax) this.#pause('disk');
    if (stored === this.#batch) {
      this.#batchEnd.changes = this.#changes;
      this.#batchEnd.bytes += bytes;
      return;
    }
    const end = { changes: this.#changes, bytes };
    this.#batch = stored;
    this.#batchEnd = end;
    stored.then(
      () => this.#durable(end),
      // The room ends this socket, or the relay everything; nothing is acknowledged.
      () => undefined,
    );
  }

  end(reason: CloseReason, why: string): void {
    if (this.#ending) return;
    this.#parts.meters.count('closes');
    this.#close(CLOSE_CODES[reason].code, CLOSE_CODES[reason].sentence, `${reason}: ${why}`);
  }

  /** The relay stops, or has nothing to say against this socket. */
  goAway(code: number, why: string): void {
    if (!this.#ending) this.#close(code, '', why);
  }

  /** Ends a socket whose other side has not answered since the last call. */
  probe(): void {
    if (!this.#alive) return this.#parts.webSocket.terminate();
    this.#alive = false;
    this.#parts.webSocket.ping();
  }

  #listen(): void {
    const { webSocket } = this.#parts;
    webSocket.pause();
    const close = webSocket.close.bind(webSocket);
    // `ws` speaks first when a message is too long; the close code it takes is not the one of our table.
    webSocket.close = (code, data) => {
      if (code !== TOO_BIG) return close(code, data);
      this.end('too-large', 'A frame.');
    };
    webSocket.on('message', (data: RawData, isBinary: boolean) => this.#take(data, isBinary));
    webSocket.on('pong', () => {
      this.#alive = true;
    });
    webSocket.on('error', (error) => {
      this.#why = `The connection failed: ${error.message}.`;
    });
    webSocket.once('close', (code) => this.#ended(code));
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.#ending || this.#room === undefined) return;
    // reason: without fragments, or with, `ws` gives one Buffer unless it was told otherwise
    const frame = data as Buffer;
    this.#alive = true;
    if (!this.#isInPace(frame.length)) return;
    const message = isBinary ? readIncoming(frame) : undefined;
    if (message === undefined) return this.end('malformed', isBinary ? 'A message.' : 'A text frame.');
    if (message.type === 'step1' && this.#steps.take(1, this.#parts.clock.nowMs()) > 0)
      return this.end('too-fast', 'First steps.');
    this.#room.take(this, message, frame);
  }

  /** Before a byte is decoded. False: this frame is not looked at any more. */
  #isInPace(bytes: number): boolean {
    const nowMs = this.#parts.clock.nowMs();
    const waitMs = Math.max(this.#frames.take(1, nowMs), this.#bytes.take(bytes, nowMs));
    if (waitMs === 0) return true;
    if (this.role === 'reader') {
      this.end('too-fast', 'Frames of a reader.');
      return false;
    }
    this.#pause('pace');
    this.#cancelPause();
    this.#cancelPause = this.#parts.clock.after(waitMs, () => this.#resume('pace'));
    return true;
  }

  #pause(by: 'pace' | 'disk'): void {
    this.#pausedBy.add(by);
    this.#parts.webSocket.pause();
  }

  #resume(by: 'pace' | 'disk'): void {
    this.#pausedBy.delete(by);
    if (this.#pausedBy.size === 0) this.#parts.webSocket.resume();
  }

  #durable({ bytes, changes }: { readonly bytes: number; readonly changes: number }): void {
    this.#parts.meters.count('durable');
    this.#unstoredBytes -= bytes;
    if (this.#unstoredBytes <= this.#parts.limits.unstoredBytesMax && this.#pausedBy.has('disk')) this.#resume('disk');
    if (this.speaksOurs) this.send(outgoing.wireFrame(outgoing.durable(changes)));
  }

  #close(code: number, sentence: string, why: string): void {
    this.#ending = true;
    this.#why = why;
    this.#cancelPause();
    const { webSocket } = this.#parts;
    // A paused socket would never see the other side's answer to the close.
    webSocket.resume();
    closeInTime(webSocket, this.#parts.clock, code, sentence);
    this.#room?.leave(this);
  }

  #ended(code: number): void {
    this.#ending = true;
    this.#cancelPause();
    this.#room?.leave(this);
    this.#parts.onEnd({ code, why: this.#why });
  }
}

function paceOf(role: Role, caller: Caller): PaceName {
  if (role === 'reader') return 'reader';
  return caller.type === 'device' ? 'device' : 'author';
}
