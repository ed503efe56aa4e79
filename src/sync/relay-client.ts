import { assert } from '../base/assert.ts';
import type { Identity, RelayClient } from './contract.ts';
import type { SyncPorts } from './ports.ts';

export interface RelayClientOptions {
  /** `ws://host:port` or `wss://host`, nothing after it. */
  readonly relayUrl: string;
  readonly identity: Identity;
  readonly ports: SyncPorts;
  /** The number of the newest head known before; no lower one is taken. */
  readonly headNumberMin?: number;
  /** An exception in a listener or a handler. The document goes on; somebody should hear of it. */
  readonly onFault: (thrown: unknown) => void;
}

/** Throws: `bad-input` for a relay URL that is none. */
export function openRelayClient(options: RelayClientOptions): RelayClient {
  assert(options.relayUrl === '', 'the relay client is not built yet');
  throw new Error('unreachable');
}
