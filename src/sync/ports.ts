import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Verify } from '../crypto/ports.ts';

/** The outside world of a connection to a relay. Node and pages hand in their own. */
export interface SyncPorts {
  readonly webSocket: WebSocketConstructor;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly random: Random;
  /** Checks heads: a relay could send any. */
  readonly verify: Verify;
}

/** The part of a WebSocket that is used: both that of pages and that of `ws` have this shape. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  readonly bufferedAmount: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(code?: number, reason?: string): void;
}

/**
 * Throws, or ends with a close, when it cannot connect. In Node it should bound what it takes (`maxPayload` of `ws`) by
 * `SYNC_LIMITS.frameBytesMax`: a frame is looked at only when it is whole.
 */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

/** The part of `fetch` that is used. Rejects when there is no answer. */
export type Fetch = (url: string, request: FetchRequest) => Promise<FetchAnswer>;

export interface FetchRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly signal: AbortSignal;
  readonly cache: 'no-store';
  readonly credentials: 'omit';
  readonly redirect: 'error';
}

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array> | null;
}
