import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAbsolute } from 'node:path';
import { toHex } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { CountersignError, type ErrorCode } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { AgentPort, SessionHello } from '../../model/agent-port.ts';
import { agentConnection } from '../../hosts/mcp/index.ts';
import { type HttpPolicy, judgeRequest } from './http-guard.ts';
import { HTTP_LIMITS, HttpSessions } from './http-sessions.ts';
import { listenLoopback } from './loopback.ts';

export interface McpHttpOptions {
  /** Opens the session of an agent that came in over HTTP. */
  readonly agentFor: (hello: SessionHello) => Promise<AgentPort>;
  readonly info: { readonly name: string; readonly version: string };
  /** What every request must carry. It opens the agent's side only, never the owner's (DC-10). */
  readonly token: string;
  /** 0: any free one. */
  readonly port: number;
  /** The workspace of a client whose address names none with `?workspace=`; `null` when there is no such default. */
  readonly workspaceDir: string | null;
  /** Origins of web pages that may ask. None unless a person named them. */
  readonly origins?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onBug: (thrown: unknown) => void;
}

export interface McpHttpServer {
  /** For a client's configuration. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  'bad-input': 400,
  'not-found': 404,
  full: 503,
  denied: 403,
};

/**
 * Serves MCP over streamable HTTP at `/mcp` on this machine only.
 *
 * Throws: `busy` when the port is in use.
 */
export async function serveMcpHttp(options: McpHttpOptions): Promise<McpHttpServer> {
  const { clock, random, origins = [], token } = options;
  const sessions = new HttpSessions(clock, () => toHex(random.bytes(16)));
  let policy: HttpPolicy = {
    hosts: new Set(),
    origins: new Set(origins),
    token,
    bodyBytesMax: HTTP_LIMITS.bodyBytesMax,
  };
  const servers = await listenLoopback({
    port: options.port,
    connectionsMax: HTTP_LIMITS.connectionsMax,
    onRequest: (request, response) => void answer({ request, response, policy, sessions, options }),
  });
  const { port } = servers;
  policy = { ...policy, hosts: new Set([`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    async close() {
      await sessions.close();
      await servers.close();
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly policy: HttpPolicy;
  readonly sessions: HttpSessions;
  readonly options: McpHttpOptions;
}

async function answer({ request, response, policy, sessions, options }: Exchange): Promise<void> {
  const { method = '', url: target = '', rawHeaders } = request;
  const judged = judgeRequest({ method, target, rawHeaders }, policy);
  if (!judged.ok) return refuse(response, judged.status, judged.why, judged.headers);
  try {
    if (judged.sessionId !== undefined) return await sessions.handle(judged.sessionId, request, response);
    if (method !== 'POST') throw new CountersignError('bad-input', 'The request needs the header Mcp-Session-Id.');
    const workspaceDir = workspaceOf(judged.url, options.workspaceDir);
    const connect = (transportId: string) =>
      agentConnection({
        open: (hello) => options.agentFor(hello),
        hello: { name: null, transportId, workspaceDir },
        info: options.info,
        onBug: options.onBug,
      });
    await sessions.begin(connect, request, response);
  } catch (thrown) {
    if (!CountersignError.is(thrown)) options.onBug(thrown);
    const known = CountersignError.is(thrown)
      ? thrown
      : new CountersignError('effect-unknown', 'Countersign failed internally.');
    refuse(response, STATUS[known.code] ?? 500, known.message);
  }
}

function workspaceOf(url: URL, fallback: string | null): string {
  const dir = url.searchParams.get('workspace') ?? fallback;
  if (dir !== null && isAbsolute(dir)) return dir;
  throw new CountersignError('bad-input', 'Name the workspace in the address: /mcp?workspace=/absolute/path.');
}

/** One sentence. The connection ends with it: what was refused unread must not be taken for the next request. */
function refuse(response: ServerResponse, status: number, why: string, headers: Record<string, string> = {}): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  response.end(`${why}\n`);
}
