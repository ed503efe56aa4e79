import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  type ListToolsResult,
  McpError,
  type Request,
} from '@modelcontextprotocol/sdk/types.js';
import { CountersignError } from '../../base/errors.ts';
import type { AgentPort } from '../../model/agent-port.ts';
import type { ToolListing } from '../../model/tool-result.ts';
import { HeldNotices } from './held-notices.ts';
import { type Asked, parseAsked } from './meta.ts';
import { OWN_TOOLS, type OwnCall, parseOwnCall } from './own-tools.ts';
import { callResult, errorResult, statusResult, waitResult, withdrawResult } from './results.ts';
import { INSTRUCTIONS } from './words.ts';

export interface McpServerOptions {
  /** The connection's own session. Its owner closes it. */
  readonly port: AgentPort;
  /** The session a request names itself in `_meta` (CP-4). Left out: such a request is refused. */
  readonly portOf?: (session: string) => Promise<AgentPort>;
  readonly info: { readonly name: string; readonly version: string };
  /** Hears of what is not a `CountersignError`: a bug. The agent gets a protocol error. */
  readonly onBug?: (thrown: unknown) => void;
}

/** An MCP server over one agent's port; connect it to any transport. Results have the shapes of `results.ts`. */
export function createMcpServer(options: McpServerOptions): Server {
  const server = new Server(
    { ...options.info },
    { capabilities: { tools: { listChanged: true } }, instructions: INSTRUCTIONS },
  );
  const calls = new ToolCalls(options, () => {
    // Only a hint to list again; a client that has gone needs none.
    server.sendToolListChanged().catch(() => undefined);
  });
  server.setRequestHandler(ListToolsRequestSchema, () => calls.list());
  // Not `setRequestHandler`: the SDK would answer malformed arguments with a protocol error, which the model does not
  // see. What is malformed inside a call is the tool's to say.
  server.fallbackRequestHandler = (request, extra) => {
    if (request.method === 'tools/call') return calls.call(request, extra.signal);
    throw new McpError(ErrorCode.MethodNotFound, 'Method not found');
  };
  return server;
}

class ToolCalls {
  readonly #options: McpServerOptions;
  readonly #listChanged: () => void;
  readonly #notices = new HeldNotices();
  /** True after a list was answered without the home: the client must hear when there is more. */
  #listedShort = false;

  constructor(options: McpServerOptions, listChanged: () => void) {
    this.#options = options;
    this.#listChanged = listChanged;
  }

  /** All tools; only the three of our own while no home answers, because a failed list is never asked for again. */
  async list(): Promise<ListToolsResult> {
    try {
      const tools = await this.#options.port.tools();
      this.#listedShort = false;
      const own = new Set(OWN_TOOLS.map((tool) => tool.name));
      return { tools: [...tools.filter((tool) => !own.has(tool.name)), ...OWN_TOOLS].map(listing) };
    } catch (thrown) {
      if (!CountersignError.is(thrown)) throw this.#bug(thrown);
      this.#listedShort = true;
      return { tools: OWN_TOOLS.map(listing) };
    }
  }

  async call(request: Request, signal: AbortSignal): Promise<CallToolResult> {
    const params = request.params ?? {};
    const tool = params['name'];
    if (typeof tool !== 'string') throw new McpError(ErrorCode.InvalidParams, 'tools/call needs the name of a tool');
    try {
      const result = await this.#answer(parseAsked(tool, params), signal);
      if (this.#listedShort) {
        this.#listedShort = false;
        this.#listChanged();
      }
      return result;
    } catch (thrown) {
      if (CountersignError.is(thrown)) return errorResult(thrown);
      throw signal.aborted ? thrown : this.#bug(thrown);
    }
  }

  async #answer(asked: Asked, signal: AbortSignal): Promise<CallToolResult> {
    const ownCall = parseOwnCall(asked.tool, asked.arguments);
    const port = await this.#portFor(asked.session);
    if (ownCall !== undefined) return this.#answerOwn(port, ownCall, signal);
    const call = port.call({ tool: asked.tool, arguments: asked.arguments, callId: asked.callId, mode: asked.mode });
    return callResult(await this.#notices.deliver(port, call, signal));
  }

  async #answerOwn(port: AgentPort, call: OwnCall, signal: AbortSignal): Promise<CallToolResult> {
    switch (call.tool) {
      case 'queue_status':
        return statusResult(await this.#notices.deliver(port, port.status(), signal));
      case 'withdraw_action':
        return withdrawResult(await this.#notices.deliver(port, port.withdraw(call.ids, call.reason), signal));
      case 'wait_for_decision': {
        const answer = await this.#notices.deliver(port, port.wait(call.request), signal);
        return waitResult(answer, call.request.forRoom);
      }
    }
  }

  async #portFor(session: string | null): Promise<AgentPort> {
    if (session === null) return this.#options.port;
    if (this.#options.portOf !== undefined) return this.#options.portOf(session);
    throw new CountersignError('bad-input', 'A request cannot name its session here.');
  }

  #bug(thrown: unknown): unknown {
    this.#options.onBug?.(thrown);
    return thrown;
  }
}

/** Field by field: an output schema must never be listed, or clients throw on a result that is still simulated. */
function listing(tool: ToolListing): ListToolsResult['tools'][number] {
  const { name, title, description, inputSchema, annotations } = tool;
  // reason: a listing's schema is a JSON Schema of an object, which the contract says in words and the SDK in types
  const schema = inputSchema as ListToolsResult['tools'][number]['inputSchema'];
  return { name, title, description, inputSchema: schema, annotations: { ...annotations } };
}
