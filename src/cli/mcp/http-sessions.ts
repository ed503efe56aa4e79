import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Cancel, Clock } from '../../base/clock.ts';
import { CountersignError } from '../../base/errors.ts';
import type { AgentConnection } from '../../hosts/mcp/index.ts';

export const HTTP_LIMITS = {
  /** Sessions at once: agents and the helpers they run. The one that was idle longest makes room. */
  sessionsMax: 64,
  /** Milliseconds a session lives without a request or an open stream. A client that returns begins a new one. */
  idleMsMax: 30 * 60_000,
  /** Bytes of a body: a file of 16 MiB as JSON. */
  bodyBytesMax: 64 * 1024 * 1024,
} as const;

interface HttpSession {
  readonly id: string;
  readonly transport: StreamableHTTPServerTransport;
  readonly connection: AgentConnection;
  /** Answers and streams that are open. */
  open: number;
  usedAtMs: number;
  cancelExpiry: Cancel;
}

/** The MCP sessions behind one HTTP endpoint, each with its own server, bounded in number and in idle time. */
export class HttpSessions {
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #sessions = new Map<string, HttpSession>();

  constructor(clock: Clock, newId: () => string) {
    this.#clock = clock;
    this.#newId = newId;
  }

  async handle(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined)
      throw new CountersignError('not-found', 'There is no such session here; begin a new one.');
    await this.#run(session, request, response);
  }

  /**
   * Begins a session with a request that must be an MCP initialize; one that is not leaves nothing behind.
   *
   * Throws: `full` when every session is in the middle of something.
   */
  async begin(
    connect: (id: string) => AgentConnection,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    this.#makeRoom();
    const id = this.#newId();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      maxRequestBodySize: HTTP_LIMITS.bodyBytesMax,
      onsessionclosed: () => this.#end(id),
    });
    const connection = connect(id);
    const session = { id, transport, connection, open: 0, usedAtMs: 0, cancelExpiry: () => undefined };
    // From here on it counts, so that the bound also holds for sessions that are only beginning.
    this.#sessions.set(id, session);
    await connection.server.connect(transport);
    await this.#run(session, request, response);
    if (transport.sessionId === undefined) await this.#end(id);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((id) => this.#end(id)));
  }

  async #run(session: HttpSession, request: IncomingMessage, response: ServerResponse): Promise<void> {
    session.open += 1;
    session.cancelExpiry();
    response.once('close', () => {
      session.open -= 1;
      session.usedAtMs = this.#clock.nowMs();
      if (session.open === 0) this.#expireLater(session);
    });
    await session.transport.handleRequest(request, response);
  }

  #expireLater(session: HttpSession): void {
    session.cancelExpiry();
    if (!this.#sessions.has(session.id)) return;
    session.cancelExpiry = this.#clock.after(HTTP_LIMITS.idleMsMax, () => void this.#end(session.id));
  }

  #makeRoom(): void {
    if (this.#sessions.size < HTTP_LIMITS.sessionsMax) return;
    const idle = [...this.#sessions.values()].filter((session) => session.open === 0);
    const oldest = idle.toSorted((a, b) => a.usedAtMs - b.usedAtMs)[0];
    if (oldest === undefined) throw new CountersignError('full', `All ${HTTP_LIMITS.sessionsMax} sessions are in use.`);
    void this.#end(oldest.id);
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    this.#sessions.delete(id);
    session.cancelExpiry();
    await session.connection.close();
  }
}
