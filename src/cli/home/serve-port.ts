import { VERSION } from '../../base/version.ts';
import { nodeRandom } from '../../crypto/node.ts';
import type { HomePort } from '../http/home-port.ts';
import { loopbackHosts } from '../http/request.ts';
import { homeRoutes } from '../http/routes.ts';
import { mcpOverHttp } from '../mcp/http.ts';
import { tokenFile } from '../state/key-file.ts';
import type { StateFolder } from '../state/folder.ts';
import type { Home } from './home.ts';
import type { HomeRelayPlace } from './home-relay.ts';
import { systemClock } from './system.ts';

/** Lets agents, panels and the embedded relay be reached at the home's port; answers how to end the agents' sessions. */
export async function servePort(options: {
  readonly port: HomePort;
  readonly folder: StateFolder;
  readonly panelDir: string;
  readonly relay: HomeRelayPlace;
  readonly home: Home;
  readonly onBug: (thrown: unknown) => void;
}): Promise<{ endAgents(): Promise<void> }> {
  const { folder, home, onBug, panelDir, port, relay } = options;
  const mcp = mcpOverHttp({
    agentFor: (hello) => home.agent(hello),
    onBug,
    info: { name: 'countersign', version: VERSION },
    token: await tokenFile(folder.agentToken, nodeRandom),
    hosts: loopbackHosts(port.port),
    workspaceDir: null,
    clock: systemClock,
    random: nodeRandom,
  });
  port.serve(
    homeRoutes({
      port: port.port,
      mcp,
      relay: relay.routes,
      relayOrigins: relay.pageConnects,
      panelDir,
      enrol: (asked) => home.enrol(asked),
      isMember: (device) => home.isMember(device),
      about: { home: home.id, relayUrl: relay.url, version: VERSION },
      onBug,
    }),
  );
  return { endAgents: () => mcp.close() };
}
