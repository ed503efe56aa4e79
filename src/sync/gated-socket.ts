import type { Cancel, Clock } from '../base/clock.ts';
import { CLOSE_CODES } from './close-codes.ts';
import { LOCAL_CODES } from './next-attempt.ts';
import { LINK_LIMITS } from './link-limits.ts';
import { SYNC_LIMITS } from './messages.ts';
import type { WebSocketConstructor, WebSocketLike } from './ports.ts';

/** What stands between a socket and the provider that thinks it holds one. */
export interface Gate {
  readonly clock: Clock;
  opened(): void;
  /** May the provider see this frame? An exception, here or in what the provider does with it, ends the socket. */
  incoming(frame: Uint8Array): boolean;
  /** May this frame leave? */
  outgoing(frame: Uint8Array): boolean;
  /** What the provider or a handler threw, which would end the program if it went on. */
  fault(thrown: unknown): void;
}

interface CloseLike {
  readonly code: number;
}

const OPEN = 1;

/**
 * The socket that the stock provider is given. It takes binary frames of bounded length only (the provider makes
 * 4 GB of a text frame that says "4294967295"), opens in bounded time, and lets no exception through to the event loop.
 */
export class GatedSocket {
  readonly OPEN = OPEN;
  binaryType = 'arraybuffer';
  onopen: (() => void) | null = null;
  onmessage: ((event: { readonly data: ArrayBuffer }) => void) | null = null;
  onclose: ((event: CloseLike) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  readonly #gate: Gate;
  #real: WebSocketLike | undefined;
  #cancelConnect: Cancel = () => undefined;
  #over = false;

  constructor(real: WebSocketConstructor, address: { readonly url: string; readonly protocols: string[] }, gate: Gate) {
    this.#gate = gate;
    try {
      this.#real = new real(address.url, address.protocols);
    } catch {
      // A URL or a subprotocol it does not take; nobody listens yet.
      queueMicrotask(() => this.end(LOCAL_CODES.unreachable));
      return;
    }
    this.#cancelConnect = gate.clock.after(LINK_LIMITS.connectMsMax, () => this.end(LOCAL_CODES.unreachable));
    this.#real.binaryType = 'arraybuffer';
    this.#listen(this.#real);
  }

  get readyState(): number {
    return this.#over ? 3 : (this.#real?.readyState ?? 0);
  }

  get bufferedAmount(): number {
    return this.#real?.bufferedAmount ?? 0;
  }

  send(data: Uint8Array): void {
    this.#guarded(() => {
      if (this.readyState !== OPEN || !this.#gate.outgoing(data)) return;
      if (this.bufferedAmount + data.length > LINK_LIMITS.bufferedBytesMax) this.end(CLOSE_CODES.slow.code);
      // reason: nothing here makes shared buffers, which are the only ones a socket refuses
      else this.#real?.send(data as Uint8Array<ArrayBuffer>);
    });
  }

  /** By the provider. */
  close(): void {
    this.#over = true;
    this.#cancelConnect();
    this.#guarded(() => this.#real?.close());
  }

  /** By this side's rules: the provider hears of it as if the relay had closed with this code. */
  end(code: number): void {
    if (this.#over) return;
    this.close();
    this.#tell(code);
  }

  // oxlint-disable unicorn/prefer-add-event-listener -- reason: these are what sockets of pages and of Node have in common
  #listen(real: WebSocketLike): void {
    real.onopen = () => this.#opened();
    real.onmessage = (event: { readonly data: unknown }) => this.#incoming(event.data);
    real.onclose = (event: CloseLike) => this.#ended(event.code);
    // Always followed by a close; without a listener Node would end the process.
    real.onerror = () => undefined;
  }
  // oxlint-enable unicorn/prefer-add-event-listener

  #opened(): void {
    if (this.#over) return;
    this.#cancelConnect();
    this.#guarded(() => {
      this.#gate.opened();
      this.onopen?.();
    });
  }

  #incoming(data: unknown): void {
    if (this.#over) return;
    if (!(data instanceof ArrayBuffer) || data.byteLength > SYNC_LIMITS.frameBytesMax) {
      this.end(LOCAL_CODES.garbled);
      return;
    }
    try {
      if (this.#gate.incoming(new Uint8Array(data))) this.onmessage?.({ data });
    } catch (thrown) {
      // What bytes of a stranger make a decoder throw, or a handler of ours that should not have.
      this.#gate.fault(thrown);
      this.end(LOCAL_CODES.garbled);
    }
  }

  #ended(code: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelConnect();
    this.#tell(code);
  }

  #tell(code: number): void {
    this.#guarded(() => this.onclose?.({ code }));
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (thrown) {
      // Nobody above can do anything about it, and in Node an exception up there ends the process.
      this.#gate.fault(thrown);
    }
  }
}
