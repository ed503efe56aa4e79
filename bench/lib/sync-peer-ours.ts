import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { openRelay, openSqliteStore, type Relay } from '../../sync-server/relay.ts';

/** Our relay as its own program sets it up: every change is in SQLite, synchronous=FULL, before it is acknowledged. */
export async function serveOurs(folder: string): Promise<Server> {
  let relay: Relay | undefined;
  const server = createServer((request, response) => {
    if (relay?.handleRequest(request, response) !== true) response.writeHead(404).end();
  });
  server.on('upgrade', (request, socket, head) => relay?.handleUpgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  relay = await openRelay({
    store: await openSqliteStore(folder),
    admission: { open: true, homes: [], tokens: [] },
    origins: [`ws://127.0.0.1:${address.port}`],
    pageOrigins: [],
    onFatal(cause) {
      throw cause;
    },
  });
  return server;
}
