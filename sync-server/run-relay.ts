import { once } from 'node:events';
import type { Server } from 'node:http';
import { CountersignError, messageOf } from '../src/base/errors.ts';
import { createHealthServer } from './health.ts';
import { RELAY_LIMITS } from './limits.ts';
import { readPort } from './port.ts';

const HOST = '127.0.0.1';

/** What the relay needs of the process it runs in. */
export interface RelayProcess {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  say(line: string): void;
  complain(line: string): void;
}

/** Serves until SIGTERM or SIGINT, and answers the exit code: 0 told to stop, 1 cannot listen, 2 asked wrongly. */
export async function runRelay(host: RelayProcess): Promise<0 | 1 | 2> {
  try {
    const server = await listen(readPort(host.args, host.environment));
    host.say(`Relay on http://${HOST}:${portOf(server)}`);
    await toldToStop();
    await stop(server);
    return 0;
  } catch (cause) {
    if (!CountersignError.is(cause)) throw cause;
    host.complain(cause.message);
    return cause.code === 'bad-input' ? 2 : 1;
  }
}

async function listen(port: number): Promise<Server> {
  const server = createHealthServer();
  server.listen(port, HOST);
  try {
    await once(server, 'listening');
    return server;
  } catch (cause) {
    const taken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const why = taken ? 'another program listens there' : messageOf(cause);
    throw new CountersignError('busy', `The relay cannot listen on ${HOST}:${port}: ${why}.`, { cause });
  }
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function toldToStop(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve());
  });
}

/** Lets open requests end, but not for ever. */
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), RELAY_LIMITS.stopMsMax).unref();
  await closed;
}
