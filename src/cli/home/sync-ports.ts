import { WebSocket } from 'ws';
import { nodeCrypto, nodeRandom } from '../../crypto/node.ts';
import { SYNC_LIMITS } from '../../sync/messages.ts';
import type { SyncPorts } from '../../sync/ports.ts';
import { systemClock } from './system.ts';

/** Without compression: what travels is sealed and does not shrink. No frame is larger than any relay of ours sends. */
const OPTIONS = { perMessageDeflate: false, maxPayload: SYNC_LIMITS.frameBytesMax } as const;

const PlainSocket = new Proxy(WebSocket, {
  // reason: what `SyncPorts` says a socket is made from
  construct: (Socket, [url, protocols]) => new Socket(url as string, protocols as string[], OPTIONS),
});

/** The network of this machine, as connections to a relay use it. */
export const nodeSyncPorts: SyncPorts = {
  webSocket: PlainSocket,
  fetch: (url, request) => fetch(url, request),
  clock: systemClock,
  random: nodeRandom,
  verify: nodeCrypto.verify,
};
