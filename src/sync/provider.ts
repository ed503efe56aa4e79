import { WebsocketProvider } from 'y-websocket';
import type { Doc } from 'yjs';
import { GatedSocket, type Gate } from './gated-socket.ts';
import type { Presence } from './presence.ts';
import type { WebSocketConstructor } from './ports.ts';
import { dropExitListener, stopTimer } from './stock-internals.ts';

/** By type of message: what the stock provider does with it. */
export type Handlers = WebsocketProvider['messageHandlers'];

/** The stock provider, with everything it would do by itself taken out: see `quietProvider`. */
export interface QuietProvider {
  /** Opens a socket now, with these subprotocols. */
  connect(protocols: readonly string[]): void;
  /** Closes the socket, if there is one; `onClosed` hears nothing of it. */
  disconnect(): void;
  /** The socket while there is one. */
  socket(): GatedSocket | undefined;
  destroy(): void;
}

export interface ProviderParts {
  readonly relayUrl: string;
  readonly room: string;
  readonly doc: Doc;
  readonly presence: Presence;
  readonly webSocket: WebSocketConstructor;
  readonly gate: Gate;
  /** Instead of the stock ones. An exception ends the socket. */
  readonly handlers: Handlers;
  readonly onClosed: (code: number) => void;
}

/**
 * The stock provider connects when it is told to, and does nothing else by itself. It would otherwise reconnect with
 * a spent proof, end a quiet socket by the machine's clock, keep Node alive by an interval and warn of a leak when
 * eleven documents are open, apply what it receives before anybody looked, and write to the console.
 */
export function quietProvider(parts: ProviderParts): QuietProvider {
  let socket: GatedSocket | undefined;
  let ours = false;
  const open = function open(url: string, protocols: string[]): GatedSocket {
    socket = new GatedSocket(parts.webSocket, { url, protocols }, parts.gate);
    return socket;
  };
  const provider = new WebsocketProvider(parts.relayUrl, parts.room, parts.doc, {
    connect: false,
    disableBc: true,
    maxBackoffTime: 0,
    shouldReconnect: () => false,
    awareness: parts.presence.awareness,
    // reason: `new` of a function that returns an object gives that object, and a gated socket has what the provider uses
    WebSocketPolyfill: open as unknown as typeof WebSocket,
  });
  stopTimer(provider);
  dropExitListener(provider);
  provider.messageHandlers.length = 0;
  Object.assign(provider.messageHandlers, parts.handlers);
  provider.on('connection-close', (event) => {
    provider.shouldConnect = false;
    socket = undefined;
    if (!ours) parts.onClosed(event?.code ?? 0);
  });
  const disconnect = (): void => {
    ours = true;
    provider.disconnect();
    ours = false;
  };
  return {
    connect(protocols) {
      parts.presence.rebind();
      provider.protocols = [...protocols];
      provider.connect();
    },
    disconnect,
    socket: () => socket,
    destroy() {
      disconnect();
      provider.destroy();
    },
  };
}
