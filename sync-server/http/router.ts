import type { IncomingMessage, ServerResponse } from 'node:http';
import { CountersignError, messageOf } from '../../src/base/errors.ts';
import { VERSION } from '../../src/base/version.ts';
import { parseHomeId, type HomeId } from '../../src/model/ids.ts';
import { CLOSE_CODES } from '../../src/sync/close-codes.ts';
import type { Core } from '../core.ts';
import { Bodies } from './bodies.ts';
import { Refusal, send, sendJson, sendNothing, sendText, type Exchange } from './exchange.ts';
import { bearerOf, judge } from './guard.ts';
import { getHead, putHead } from './heads.ts';
import { giveChallenge, giveTicket } from './members.ts';
import { deleteObject, getObject, putObject } from './objects.ts';
import { getSnapshot, putSnapshot } from './snapshots.ts';

/** The first part of every path of a relay. */
const OURS = /^\/(?:healthz|metrics|challenge|ticket|h|r|o)(?:[/?]|$)/;
const METHODS = 'GET, HEAD, PUT, POST, DELETE, OPTIONS';
/** Seconds a browser remembers what a page may ask. */
const PREFLIGHT_SECONDS = 600;

export interface Router {
  /** False: the path is none of the relay's, and nothing was done. */
  handle(request: IncomingMessage, response: ServerResponse): boolean;
}

/** The HTTP side of a relay. `enforceHead` is called when a home has a newer head. */
export function routerOf(core: Core, enforceHead: (home: HomeId) => void): Router {
  const bodies = new Bodies(core);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const exchange = admit(core, request, response);
      if (exchange === undefined) return;
      const work = workFor(core, exchange, enforceHead);
      if (work.large) bodies.enter(exchange);
      await work.run();
    } catch (thrown) {
      refuse(core, response, thrown);
    }
  };
  return {
    handle(request, response) {
      if (!OURS.test(request.url ?? '')) return false;
      void answer(request, response);
      return true;
    },
  };
}

/** The exchange, if its caller may ask at all; `undefined` when it is answered already. */
function admit(core: Core, request: IncomingMessage, response: ServerResponse): Exchange | undefined {
  // A caller that goes away while it is answered is no news.
  response.on('error', () => response.destroy());
  if (!core.addresses.mayAsk(request.socket.remoteAddress ?? ''))
    throw new Refusal(429, CLOSE_CODES['too-fast'].sentence, { connection: 'close' });
  const judged = judge(request, core.names);
  if (!judged.ok) throw new Refusal(judged.status, judged.why);
  const { facts, url } = judged;
  response.setHeader('vary', 'origin');
  if (facts.origin !== undefined) response.setHeader('access-control-allow-origin', facts.origin);
  const method = request.method ?? '';
  if (method !== 'OPTIONS') return { request, response, method, facts, url };
  response.setHeader('access-control-allow-methods', METHODS);
  response.setHeader('access-control-allow-headers', 'authorization, content-type');
  response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
  sendNothing(response);
  return undefined;
}

interface Work {
  /** It moves up to 32 MiB. */
  readonly large: boolean;
  run(): Promise<void> | void;
}

function workFor(core: Core, exchange: Exchange, enforceHead: (home: HomeId) => void): Work {
  const { method, url } = exchange;
  const [, first = '', second] = url.pathname.split('/');
  const small = (run: Work['run']): Work => ({ large: false, run });
  const large = (run: Work['run']): Work => ({ large: true, run });
  switch (`${method} ${first}`) {
    case 'GET healthz':
      return small(() => sendJson(exchange.response, { status: 'ok', version: VERSION }));
    case 'GET metrics':
      return small(() => showMetrics(core, exchange));
    case 'GET challenge':
      return small(() => giveChallenge(core, exchange));
    case 'POST ticket':
      return small(() => giveTicket(core, exchange));
    case 'GET h':
      return small(() => getHead(core, exchange, homeOf(second)));
    case 'PUT h':
      return large(() => putHead(core, exchange, homeOf(second), enforceHead));
    case 'GET r':
      return large(() => getSnapshot(core, exchange));
    case 'PUT r':
      return large(() => putSnapshot(core, exchange));
    case 'GET o':
    case 'HEAD o':
      return large(() => getObject(core, exchange));
    case 'PUT o':
      return large(() => putObject(core, exchange));
    case 'DELETE o':
      return small(() => deleteObject(core, exchange));
    default:
      throw new Refusal(405, 'This address does not take this method.', { allow: METHODS });
  }
}

function homeOf(text: string | undefined): HomeId {
  const home = parseHomeId(text);
  if (!home.ok) throw new Refusal(404, 'There is no such home.');
  return home.value;
}

/**
 * Numbers tell who works when, so they are for who runs the relay: a program on the same machine, as long as no proxy
 * speaks for somebody else, or who shows a token.
 */
function showMetrics({ door, meters }: Core, { facts, request, response }: Exchange): void {
  const token = bearerOf(facts);
  const isNear = ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(request.socket.remoteAddress ?? '');
  const isPassedOn = ['forwarded', 'x-forwarded-for', 'via'].some((name) => request.headers[name] !== undefined);
  const isNearProgram = isNear && !isPassedOn && facts.origin === undefined;
  if (!isNearProgram && (token === undefined || door.token(token) === undefined))
    throw new Refusal(403, 'The numbers are for programs on this machine, or for who shows a token.');
  send(response, 200, 'text/plain; version=0.0.4; charset=utf-8', meters.text());
}

function refuse(core: Core, response: ServerResponse, thrown: unknown): void {
  core.meters.count('refusals');
  const refusal = thrown instanceof Refusal ? thrown : ofFailure(core, thrown);
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // The rest of a body that nobody wants is not waited for.
  if (!response.req.complete) response.setHeader('connection', 'close');
  for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
  sendText(response, refusal.status, refusal.message);
}

/** A failure of the store. What cannot be known stops the relay; a full disk is said and lived with. */
function ofFailure({ log, onFatal }: Core, thrown: unknown): Refusal {
  if (CountersignError.is(thrown) && thrown.code === 'full') return new Refusal(507, CLOSE_CODES.full.sentence);
  if (CountersignError.is(thrown) && thrown.code === 'closed') return new Refusal(503, 'The relay stops.');
  log.error({ why: messageOf(thrown) }, 'a request failed');
  onFatal(thrown);
  return new Refusal(503, 'The relay stops: its store failed.');
}
