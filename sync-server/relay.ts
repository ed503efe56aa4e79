import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { messageOf } from '../src/base/errors.ts';
import { openCore } from './core.ts';
import { routerOf } from './http/router.ts';
import type { Metrics } from './metrics.ts';
import type { RelayOptions } from './options.ts';
import { Sockets } from './sockets.ts';

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

/** Throws: `bad-input` for origins that are none; `storage` when the store cannot be read. */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  let sockets: Sockets | undefined;
  let failed = false;
  const onFatal = (cause: unknown): void => {
    if (failed) return;
    failed = true;
    options.log?.fatal({ why: messageOf(cause) }, 'the store failed; the relay stops');
    // Nobody may take silence for an acknowledgement that is on its way.
    void sockets?.close();
    options.onFatal(cause);
  };
  const core = await openCore(options, onFatal);
  const open = new Sockets(core);
  sockets = open;
  const router = routerOf(core, (home) => open.enforceHead(home));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await open.close();
    if (!failed) await core.rooms.close();
    await core.store.close();
  };
  return {
    handleRequest: (request, response) => router.handle(request, response),
    handleUpgrade: (request, socket, head) => open.handleUpgrade(request, socket, head),
    metrics: core.meters,
    close: () => (closing ??= close()),
  };
}
