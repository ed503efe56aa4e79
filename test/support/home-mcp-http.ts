import { loopbackHosts } from '../../src/cli/http/request.ts';
import { listenLoopback } from '../../src/cli/http/loopback.ts';
import { mcpOverHttp, type McpHttp, type McpHttpOptions } from '../../src/cli/mcp/http.ts';

export type McpServerOptions = Omit<McpHttpOptions, 'hosts'> & { readonly port: number };

export interface McpServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** The MCP endpoint on a port of its own. */
export async function serveMcpHttp({ port, ...options }: McpServerOptions): Promise<McpServer> {
  let mcp: McpHttp | undefined;
  const servers = await listenLoopback({
    port,
    connectionsMax: 128,
    onRequest: (request, response) => void mcp?.answer(request, response),
  });
  const started = mcpOverHttp({ ...options, hosts: loopbackHosts(servers.port) });
  mcp = started;
  return {
    url: `http://127.0.0.1:${servers.port}/mcp`,
    port: servers.port,
    async close() {
      await started.close();
      await servers.close();
    },
  };
}
