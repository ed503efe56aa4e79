/* oxlint-disable unicorn/prefer-add-event-listener -- reason: an MCP transport has handlers to set, not events */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

export interface CountingTransport {
  readonly transport: Transport;
  /** Resolves when the transport has closed, from either side. */
  readonly closed: Promise<void>;
  /** Resolves when every request that has arrived was answered or cancelled. */
  idle(): Promise<void>;
}

/** Passes a transport through and knows which requests have no answer yet. */
export function countingTransport(inner: Transport): CountingTransport {
  const open = new Set<RequestId>();
  let waiting: (() => void)[] = [];
  const done = (id: RequestId): void => {
    open.delete(id);
    if (open.size > 0) return;
    for (const wake of waiting) wake();
    waiting = [];
  };
  const transport: Transport = {
    start: () => inner.start(),
    close: () => inner.close(),
    async send(message, options) {
      await inner.send(message, options);
      const answered = 'method' in message ? undefined : message.id;
      if (answered !== undefined) done(answered);
    },
  };
  inner.onmessage = (message, extra) => {
    if ('method' in message && 'id' in message) open.add(message.id);
    transport.onmessage?.(message, extra);
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) done(cancelled);
  };
  const closed = new Promise<void>((resolve) => {
    inner.onclose = () => {
      transport.onclose?.();
      resolve();
    };
  });
  inner.onerror = (error) => transport.onerror?.(error);
  return {
    transport,
    closed,
    idle: () => (open.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}

/** A cancelled request is never answered. */
function cancelledId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
