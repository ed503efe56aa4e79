import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { CountersignError } from '../../base/errors.ts';
import type { StateFolder } from '../state/folder.ts';
import { keepSetting, readSetting } from '../state/setting-file.ts';
import { listenLoopback, type UpgradeListener } from './loopback.ts';
import { refuse, refuseUpgrade } from './request.ts';

const PORT_LIMITS = {
  /** Sockets at once: two for each of 64 agents' sessions, and the rooms of 20 windows of panels. */
  connectionsMax: 1_024,
} as const;

/** What answers at a home's port. */
export interface Routes {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade: UpgradeListener;
}

/** The one port of a home: agents, panels and the embedded relay are reached at it. */
export interface HomePort {
  readonly port: number;
  /** From now on these answer; until then, that the home is still starting. */
  serve(routes: Routes): void;
  close(): Promise<void>;
}

/**
 * Listens on the port that was asked for, else on the one this home had before: agents are configured with it, and the
 * keys and unsent decisions of panels live in the origin that it is part of. `port: 0` is any free one, not remembered.
 *
 * Throws: `busy` when the port is in use.
 */
export async function openHomePort(options: {
  readonly folder: StateFolder;
  readonly port: number | undefined;
  /** A line for the person who runs the home. */
  readonly log: (line: string) => void;
}): Promise<HomePort> {
  const { folder, log, port: asked } = options;
  const before = await rememberedPort(folder);
  let routes: Routes = STARTING;
  const servers = await listenLoopback({
    port: asked ?? before ?? 0,
    connectionsMax: PORT_LIMITS.connectionsMax,
    onRequest: (request, response) => routes.request(request, response),
    onUpgrade: (request, socket, head) => routes.upgrade(request, socket, head),
  }).catch((error: unknown) => {
    throw asked === undefined && before !== undefined ? busyAsEver(error, before) : error;
  });
  if (asked !== 0 && servers.port !== before) {
    await keepSetting(folder.port, String(servers.port)).catch(async (error: unknown) => {
      await servers.close();
      throw error;
    });
    if (before !== undefined) log(`This home moves from port ${before} to ${servers.port}. ${MOVED}`);
  }
  return {
    port: servers.port,
    serve(next) {
      routes = next;
    },
    close: () => servers.close(),
  };
}

const MOVED = 'Agents need the new address, and panels that were opened at the old one have to be opened anew.';

/** The port a home had when it last ran; `undefined` before the first time. */
export async function rememberedPort(folder: StateFolder): Promise<number | undefined> {
  const port = Number(await readSetting(folder.port));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

function busyAsEver(error: unknown, port: number): unknown {
  if (!CountersignError.is(error) || error.code !== 'busy') return error;
  const why = `Port ${port}, which this home has had before, is in use by another program. End that program, or choose another port with --port N. ${MOVED}`;
  return new CountersignError('busy', why, { cause: error });
}

const REFUSED = { status: 503, why: 'The home is still starting.' };
const STARTING: Routes = {
  request: (_request, response) => refuse(response, REFUSED),
  upgrade: (_request: IncomingMessage, socket: Duplex) => refuseUpgrade(socket, REFUSED),
};
