import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HomeId } from '../../model/ids.ts';
import type { McpHttp } from '../mcp/http.ts';
import { answerEnrol, answerJson, ENROL_LIMITS, type Enrolled, type EnrolRequest } from './enrol.ts';
import type { Routes } from './home-port.ts';
import { judgePanelRequest } from './judge-panel.ts';
import { answerPanelFile, panelHeaders } from './panel-files.ts';
import { loopbackHosts, panelOrigin, refuse, refuseUpgrade, singleHeaders, urlOf, type Refusal } from './request.ts';

/** The relay inside this home. It judges callers, origins and proofs itself. */
export interface RelayRoutes {
  /** False: the path is not the relay's, and nothing was done. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Uint8Array): void;
}

export interface RouteOptions {
  readonly port: number;
  readonly mcp: McpHttp;
  /** `null` when this home uses a relay elsewhere. */
  readonly relay: RelayRoutes | null;
  /** Where the page connects to, besides its own origin. */
  readonly relayOrigins: readonly string[];
  readonly panelDir: string;
  readonly enrol: (asked: EnrolRequest) => Promise<Enrolled>;
  /** What a page asks for when it is loaded: whose panel it is, and which relay to use now. */
  readonly about: { readonly home: HomeId; readonly relayUrl: string; readonly version: string };
  /** Is this one of the home's devices? A page that was one asks: its link may have to make it one again. */
  readonly isMember: (device: string) => boolean;
  readonly onBug: (thrown: unknown) => void;
}

const RELAY_PATH = /^\/(?:challenge|ticket|healthz|metrics)$|^\/[hro]\//;

/** Who answers what at the port of a home. Who may ask comes before what they ask for (T14). */
export function homeRoutes(options: RouteOptions): Routes {
  const { mcp, onBug, port, relay } = options;
  const hosts = loopbackHosts(port);
  const origin = panelOrigin(port);
  const files = { dir: options.panelDir, headers: panelHeaders(options.relayOrigins) };

  const panel = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const facts = { method: request.method ?? '', target: request.url ?? '', rawHeaders: request.rawHeaders };
    const judged = judgePanelRequest(facts, { hosts, origin, bodyBytesMax: ENROL_LIMITS.bodyBytesMax });
    switch (judged.type) {
      case 'refused':
        return refuse(response, judged);
      case 'redirect':
        return refuse(response, { status: 308, why: judged.location, headers: { location: judged.location } });
      case 'enrol':
        return answerEnrol(request, response, options.enrol);
      case 'about':
        return answerJson(response, {
          ...options.about,
          ...(judged.device === null ? {} : { member: options.isMember(judged.device) }),
        });
      case 'file':
        return answerPanelFile({ path: judged.path, method: judged.method, response }, files);
    }
  };

  return {
    request(request, response) {
      const path = urlOf(request.url ?? '')?.pathname ?? '';
      if (path === '/mcp') return void mcp.answer(request, response);
      if (relay === null || !RELAY_PATH.test(path)) {
        panel(request, response).catch((thrown: unknown) => {
          refuse(response, { status: 500, why: 'Countersign failed internally.' });
          onBug(thrown);
        });
        return;
      }
      const refusal = judgeRelayCaller(request, hosts, origin);
      if (refusal !== undefined) refuse(response, refusal);
      else if (!relay.handleRequest(request, response)) refuse(response, NOTHING);
    },
    upgrade(request, socket, head) {
      const refusal = judgeRelayCaller(request, hosts, origin);
      if (refusal !== undefined || relay === null) refuseUpgrade(socket, refusal ?? NO_RELAY);
      else relay.handleUpgrade(request, socket, head);
    },
  };
}

const NOTHING: Refusal = { status: 404, why: 'There is nothing here.' };
const NO_RELAY: Refusal = { status: 404, why: 'This home uses another relay.' };

/** The embedded relay serves this home alone: its own panel, and programs, which send no origin. */
function judgeRelayCaller(request: IncomingMessage, hosts: ReadonlySet<string>, own: string): Refusal | undefined {
  const headers = singleHeaders(request.rawHeaders, ['host', 'origin']);
  if (typeof headers === 'string') return { status: 400, why: `The header ${headers} must come once.` };
  if (headers.host === undefined || !hosts.has(headers.host))
    return { status: 403, why: 'This address is only served under its loopback names.' };
  if (headers.origin !== undefined && headers.origin !== own)
    return { status: 403, why: 'This address is not served to web pages of this origin.' };
  return undefined;
}
