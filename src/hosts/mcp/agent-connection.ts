import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { AgentPort, SessionHello } from '../../model/agent-port.ts';
import { NamedPorts } from './named-ports.ts';
import { renewingPort } from './renewing-port.ts';
import { createMcpServer } from './server.ts';

/** Opens the session that says hello. `again` is true when its earlier connection was lost. */
export type OpenSession = (hello: SessionHello, options: { readonly again: boolean }) => Promise<AgentPort>;

export interface AgentConnection {
  readonly server: Server;
  /** Closes the server and every session it opened. */
  close(): Promise<void>;
}

/**
 * The server for one MCP connection. Its session says hello at the first call, when the client has told its name;
 * sessions that requests name in `_meta` are opened beside it (CP-4). MCP cannot begin a turn of the agent, so that
 * nothing here wakes it: it is told at its next call (SM-12).
 */
export function agentConnection(options: {
  readonly open: OpenSession;
  readonly hello: Pick<SessionHello, 'name' | 'transportId' | 'workspaceDir'>;
  readonly info: { readonly name: string; readonly version: string };
  readonly onBug: (thrown: unknown) => void;
}): AgentConnection {
  const portFor = (name: string | null): AgentPort =>
    renewingPort(({ again }) => {
      const { name: client = 'unknown', version = 'unknown' } = server.getClientVersion() ?? {};
      return options.open({ ...options.hello, name, client: { name: client, version }, host: 'mcp' }, { again });
    });
  const own = portFor(options.hello.name);
  const named = new NamedPorts(portFor);
  const { info, onBug } = options;
  const server = createMcpServer({ port: own, portOf: (session) => named.port(session), info, onBug });
  return {
    server,
    async close() {
      await server.close();
      await Promise.all([own.close(), named.close()]);
    },
  };
}
