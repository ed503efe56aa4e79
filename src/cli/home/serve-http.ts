import { readFile, writeFile } from 'node:fs/promises';
import { VERSION } from '../../base/version.ts';
import { nodeRandom } from '../../crypto/node.ts';
import type { AgentPort, SessionHello } from '../../model/agent-port.ts';
import { serveMcpHttp, type McpHttpServer } from '../mcp/http.ts';
import { tokenFile } from '../state/key-file.ts';
import { codeOf } from '../state/node-errors.ts';
import type { StateFolder } from '../state/folder.ts';
import { systemClock } from './system.ts';

/**
 * Serves agents over HTTP on the port that was asked for, else on the one this home had before: agents are configured
 * with it. `port: 0` is any free one, and is not remembered.
 *
 * Throws: `busy` when the port is in use.
 */
export async function serveHttp(options: {
  readonly folder: StateFolder;
  readonly port: number | undefined;
  readonly agentFor: (hello: SessionHello) => Promise<AgentPort>;
  readonly onBug: (thrown: unknown) => void;
}): Promise<McpHttpServer> {
  const { folder, port, agentFor, onBug } = options;
  const server = await serveMcpHttp({
    agentFor,
    onBug,
    info: { name: 'countersign', version: VERSION },
    token: await tokenFile(folder.agentToken, nodeRandom),
    port: port ?? (await rememberedPort(folder)),
    workspaceDir: null,
    clock: systemClock,
    random: nodeRandom,
  });
  if (port !== 0) await writeFile(folder.mcpPort, `${server.port}\n`, { mode: 0o600 });
  return server;
}

/** 0 when there is none: any free port. */
async function rememberedPort(folder: StateFolder): Promise<number> {
  try {
    const port = Number((await readFile(folder.mcpPort, 'utf8')).trim());
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
