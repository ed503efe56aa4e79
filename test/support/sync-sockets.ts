import type { WebSocketConstructor, WebSocketLike } from '../../src/sync/ports.ts';

/** The relay's end of a socket under test. */
export interface FarEnd {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly isOpen: boolean;
  /** Goes when the network is flushed, in order. */
  send(data: Uint8Array | string): void;
  close(code: number): void;
  /** What the near end sends, once it is flushed. */
  onFrame: (frame: Uint8Array) => void;
  onClose: () => void;
}

/** Sockets that move only when they are told to. */
export class FakeNetwork {
  /** Sockets asked for so far. */
  attempts = 0;
  /** `false`: asking for a socket ends as if nobody were there. `silent`: nothing ever comes back. */
  reachable: boolean | 'silent' = true;
  readonly #queue: (() => void)[] = [];
  readonly #near = new Set<NearEnd>();
  readonly #accept: (far: FarEnd) => void;
  readonly webSocket: WebSocketConstructor;

  /** `accept` is called with every socket, before it is open. */
  constructor(accept: (far: FarEnd) => void) {
    this.#accept = accept;
    const dial = (url: string, protocols: string[]): WebSocketLike => this.#dial(url, protocols);
    this.webSocket = function webSocket(url: string, protocols: string[]) {
      return dial(url, protocols);
    } as unknown as WebSocketConstructor; // reason: `new` of a function that returns an object gives that object
  }

  /** Delivers what waits, and what that leads to. True: something moved. */
  flush(): boolean {
    let moved = 0;
    for (let deliver = this.#queue.shift(); deliver !== undefined; deliver = this.#queue.shift()) {
      deliver();
      if (++moved > 100_000) throw new Error('The network never comes to rest.');
    }
    return moved > 0;
  }

  /** From now on every socket has this much to send before anything new. */
  stall(bufferedBytes: number): void {
    for (const near of this.#near) near.bufferedAmount = bufferedBytes;
  }

  /** All sockets break. */
  drop(): void {
    for (const near of this.#near) this.#queue.push(() => near.closed(1006));
  }

  #dial(url: string, protocols: string[]): WebSocketLike {
    this.attempts++;
    const near = new NearEnd((task) => this.#queue.push(task));
    const far: FarEnd & { isOpen: boolean } = {
      url,
      protocols,
      isOpen: true,
      send: (data) => this.#queue.push(() => near.receive(data)),
      close: (code) =>
        this.#queue.push(() => {
          far.isOpen = false;
          near.closed(code);
        }),
      onFrame: () => undefined,
      onClose: () => undefined,
    };
    near.far = far;
    this.#near.add(near);
    if (this.reachable === 'silent') return near;
    if (!this.reachable) {
      this.#queue.push(() => near.closed(1006));
      return near;
    }
    this.#queue.push(() => {
      near.opened();
      this.#accept(far);
    });
    return near;
  }
}

class NearEnd implements WebSocketLike {
  binaryType = 'blob';
  readyState = 0;
  bufferedAmount = 0;
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  far: (FarEnd & { isOpen: boolean }) | undefined;
  readonly #later: (task: () => void) => void;

  constructor(later: (task: () => void) => void) {
    this.#later = later;
  }

  send(data: Uint8Array<ArrayBuffer>): void {
    if (this.readyState !== 1) throw new Error('The socket is not open.');
    const frame = data.slice();
    this.#later(() => {
      if (this.far?.isOpen === true) this.far.onFrame(frame);
    });
  }

  close(): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.#later(() => {
      if (this.far === undefined || !this.far.isOpen) return;
      this.far.isOpen = false;
      this.far.onClose();
    });
  }

  opened(): void {
    if (this.readyState !== 0) return;
    this.readyState = 1;
    call(this.onopen, {});
  }

  receive(data: Uint8Array | string): void {
    if (this.readyState !== 1) return;
    const bytes = typeof data === 'string' ? data : data.slice().buffer;
    call(this.onmessage, { data: bytes });
  }

  closed(code: number): void {
    if (this.readyState === 3) return;
    this.readyState = 3;
    call(this.onerror, {});
    call(this.onclose, { code, reason: 'said by a stranger' });
  }
}

function call(handler: ((event: never) => void) | null, event: object): void {
  handler?.(event as never); // reason: the handler knows what it asked for
}
