import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Metrics } from './metrics.ts';
import type { RelayOptions } from './options.ts';

export type { Admission, AdmitToken, RelayOptions } from './options.ts';
export { openMemoryStore } from './storage/memory.ts';
export { openSqliteStore } from './storage/sqlite.ts';

/** A relay inside somebody's HTTP server: it listens to nothing itself. */
export interface Relay {
  /** Answers a request for one of the relay's paths. False: the path is not the relay's, and nothing was done. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean;
  /** Takes every upgrade it is given, if only to refuse it. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void;
  readonly metrics: Metrics;
  /** Ends every socket with 1001, waits until what was taken is on disk, and closes the store. */
  close(): Promise<void>;
}

/** Throws: `storage` or `too-new` when the store cannot be read. */
export function openRelay(_options: RelayOptions): Promise<Relay> {
  return Promise.reject(new Error('The relay is being built.'));
}
