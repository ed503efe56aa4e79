import type { IncomingMessage, ServerResponse } from 'node:http';
import { isAbsolute } from 'node:path';
import { toHex } from '../../base/bytes.ts';
import type { Clock } from '../../base/clock.ts';
import { CountersignError, type ErrorCode } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { AgentPort, SessionHello } from '../../model/agent-port.ts';
import { agentConnection } from '../../hosts/mcp/index.ts';
import { refuse } from '../http/request.ts';
import { type HttpPolicy, judgeRequest } from './http-guard.ts';
import { HTTP_LIMITS, HttpSessions } from './http-sessions.ts';

export interface McpHttpOptions {
  /** Opens the session of an agent that came in over HTTP. */
  readonly agentFor: (hello: SessionHello) => Promise<AgentPort>;
  readonly info: { readonly name: string; readonly version: string };
  /** What every request must carry. It opens the agent's side only, never the owner's (DC-10). */
  readonly token: string;
  /** Exact values of `Host`. */
  readonly hosts: ReadonlySet<string>;
  /** The workspace of a client whose address names none with `?workspace=`; `null` when there is no such default. */
  readonly workspaceDir: string | null;
  /** Origins of web pages that may ask. None unless a person named them. */
  readonly origins?: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly onBug: (thrown: unknown) => void;
}

/** The MCP endpoint of an HTTP server. */
export interface McpHttp {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends every session. */
  close(): Promise<void>;
}

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  'bad-input': 400,
  'not-found': 404,
  full: 503,
  denied: 403,
};

/** Speaks MCP over streamable HTTP at `/mcp`. */
export function mcpOverHttp(options: McpHttpOptions): McpHttp {
  const { clock, hosts, random, origins = [], token } = options;
  const sessions = new HttpSessions(clock, () => toHex(random.bytes(16)));
  const policy: HttpPolicy = {
    hosts,
    origins: new Set(origins),
    token,
    bodyBytesMax: HTTP_LIMITS.bodyBytesMax,
  };
  return {
    answer: (request, response) => answer({ request, response, policy, sessions, options }),
    close: () => sessions.close(),
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
  if (!judged.ok) return refuse(response, judged);
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
    refuse(response, { status: STATUS[known.code] ?? 500, why: known.message });
  }
}

function workspaceOf(url: URL, fallback: string | null): string {
  const dir = url.searchParams.get('workspace') ?? fallback;
  if (dir !== null && isAbsolute(dir)) return dir;
  throw new CountersignError('bad-input', 'Name the workspace in the address: /mcp?workspace=/absolute/path.');
}
