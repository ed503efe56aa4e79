import { WebSocket } from 'ws';
import { systemClock } from '../../src/cli/home/system.ts';
import { nodeCrypto, nodeRandom } from '../../src/crypto/node.ts';
import type { Identity, LinkState, RelayClient } from '../../src/sync/contract.ts';
import type { WebSocketConstructor } from '../../src/sync/ports.ts';
import { openRelayClient, type RelayClientOptions } from '../../src/sync/relay-client.ts';
import type { Person } from './relay-people.ts';

/** A client over real sockets, and what came over them. */
export interface Wire {
  readonly client: RelayClient;
  readonly faults: unknown[];
  /** Bytes of the frames that came in and went out, and of bodies that came in. */
  readonly bytes: { frames: number; bodies: number };
}

function identityOf({ grant, home, homeKey, signer }: Person): Identity {
  return { home, homeKey, grant, sign: (message) => signer.sign(message) };
}

export function openWire(relayUrl: string, who: Person, options: Partial<RelayClientOptions> = {}): Wire {
  const bytes = { frames: 0, bodies: 0 };
  const faults: unknown[] = [];
  const client = openRelayClient({
    relayUrl,
    identity: identityOf(who),
    ports: {
      webSocket: countedSocket(bytes),
      fetch: async (url, request) => {
        const answer = await fetch(url, request);
        bytes.bodies += Number(answer.headers.get('content-length') ?? 0);
        return answer;
      },
      clock: systemClock,
      random: nodeRandom,
      verify: nodeCrypto.verify,
    },
    onFault: (thrown) => faults.push(thrown),
    ...options,
  });
  return { client, faults, bytes };
}

/** Kept when the state is this one, now or later. */
export async function until(
  link: { state(): LinkState; subscribe(listener: (state: LinkState) => void): () => void },
  is: (state: LinkState) => boolean,
): Promise<LinkState> {
  if (is(link.state())) return link.state();
  return new Promise((resolve) => {
    const end = link.subscribe((state) => {
      if (!is(state)) return;
      end();
      resolve(state);
    });
  });
}

export const isSynced = (state: LinkState): boolean => state.state === 'online' && state.synced;

function countedSocket(bytes: { frames: number }): WebSocketConstructor {
  return class CountedSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      this.on('message', (data: ArrayBuffer) => (bytes.frames += data.byteLength));
    }
    override send(data: Uint8Array): void {
      bytes.frames += data.length;
      super.send(data);
    }
  };
}
