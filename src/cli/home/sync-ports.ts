import { WebSocket } from 'ws';
import { nodeCrypto, nodeRandom } from '../../crypto/node.ts';
import { SYNC_LIMITS } from '../../sync/messages.ts';
import type { SyncPorts } from '../../sync/ports.ts';
import { systemClock } from './system.ts';

/** A socket without compression: what travels is sealed and does not shrink. */
class PlainSocket extends WebSocket {
  constructor(url: string, protocols: string[]) {
    super(url, protocols, { perMessageDeflate: false, maxPayload: SYNC_LIMITS.frameBytesMax });
  }
}

/** The network of this machine, as connections to a relay use it. */
export const nodeSyncPorts: SyncPorts = {
  webSocket: PlainSocket,
  fetch: (url, request) => fetch(url, request),
  clock: systemClock,
  random: nodeRandom,
  verify: nodeCrypto.verify,
};
