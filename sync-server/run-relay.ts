import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import pino from 'pino';
import { CountersignError, messageOf } from '../src/base/errors.ts';
import { Addresses } from './addresses.ts';
import { readAdmitFile } from './admit-file.ts';
import { isLoopback, readFlags, type RelayFlags } from './flags.ts';
import { RELAY_LIMITS } from './limits.ts';
import { openRelay, type Admission, type Relay } from './relay.ts';
import { nodeClock } from './system.ts';
import { openSqliteStore } from './storage/sqlite.ts';

/** What the relay needs of the process it runs in. */
export interface RelayProcess {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
  say(line: string): void;
  complain(line: string): void;
}

/** Standard error: standard output is for the line that says where it listens. */
const LOG_FD = 2;

/**
 * Serves until SIGTERM or SIGINT, and answers the exit code: 0 told to stop, 1 cannot listen, cannot read its store or
 * its disk failed, 2 asked wrongly.
 */
export async function runRelay(host: RelayProcess): Promise<0 | 1 | 2> {
  try {
    const flags = readFlags(host.args, host.environment);
    const tokens = flags.admit === undefined ? [] : readAdmitFile(flags.admit);
    const ended = new Ending();
    const { relay, server } = await start(flags, { open: flags.open, homes: flags.homes, tokens }, ended);
    host.say(`Relay on ${urlOf(flags.host, portOf(server))}`);
    const failure = await ended.reason;
    await stop(server, relay);
    if (failure !== undefined) host.complain(`The relay stopped because its disk failed: ${messageOf(failure)}`);
    return failure === undefined ? 0 : 1;
  } catch (cause) {
    if (!CountersignError.is(cause)) throw cause;
    host.complain(cause.message);
    return cause.code === 'bad-input' ? 2 : 1;
  }
}

/** Why it ends: a signal, or a failure. */
class Ending {
  readonly reason: Promise<unknown>;
  fail: (cause: unknown) => void = () => undefined;

  constructor() {
    this.reason = new Promise((resolve) => {
      this.fail = resolve;
      for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => resolve(undefined));
    });
  }
}

async function start(
  flags: RelayFlags,
  admission: Admission,
  ended: Ending,
): Promise<{ readonly relay: Relay; readonly server: Server }> {
  const { bodyMsMax, headMsMax } = RELAY_LIMITS;
  const store = await openSqliteStore(flags.dataDir);
  let relay: Relay | undefined;
  const server = createServer({ headersTimeout: headMsMax, requestTimeout: bodyMsMax }, (request, response) => {
    if (relay === undefined) say(response, 503, 'The relay starts.');
    else if (!relay.handleRequest(request, response)) say(response, 404, 'There is nothing here; this is a relay.');
  });
  server.on('upgrade', (request, socket, head) => {
    if (relay === undefined) socket.destroy();
    else relay.handleUpgrade(request, socket, head);
  });
  boundConnections(server);
  try {
    await listen(server, flags);
    relay = await openRelay({
      store,
      admission,
      origins: originsOf(flags, portOf(server)),
      pageOrigins: flags.pageOrigins,
      onFatal: (cause) => ended.fail(cause),
      log: pino({ name: 'relay' }, pino.destination({ dest: LOG_FD, sync: true })),
    });
    return { relay, server };
  } catch (thrown) {
    server.close();
    await store.close();
    throw thrown;
  }
}

/** Also of connections that never ask for anything. */
function boundConnections(server: Server): void {
  const places = new Addresses(RELAY_LIMITS, nodeClock);
  server.maxConnections = RELAY_LIMITS.connectionsMax;
  server.on('connection', (socket) => {
    const giveBack = places.takePlace(socket.remoteAddress ?? '');
    if (giveBack === undefined) socket.destroy();
    else socket.once('close', giveBack);
  });
}

function say(response: ServerResponse, status: 404 | 503, sentence: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${sentence}\n`);
}

async function listen(server: Server, { host, port }: RelayFlags): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const taken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    const why = taken ? 'another program listens there' : messageOf(cause);
    throw new CountersignError('busy', `The relay cannot listen on ${host}:${port}: ${why}.`, { cause });
  }
}

/** On loopback every name of the machine for itself, since a panel may use any of them. */
function originsOf({ host, publicOrigins }: RelayFlags, port: number): readonly string[] {
  const near = ['localhost', '127.0.0.1', '[::1]'].map((name) => `ws://${name}:${port}`);
  if (!isLoopback(host)) return publicOrigins;
  return [...new Set([...publicOrigins, ...near, `ws://${bracketed(host)}:${port}`])];
}

function urlOf(host: string, port: number): string {
  return `http://${bracketed(host)}:${port}`;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Ends the sockets, lets open requests end, but not for ever, then closes the store. */
async function stop(server: Server, relay: Relay): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), RELAY_LIMITS.stopMsMax).unref();
  await relay.close();
  await closed;
}
