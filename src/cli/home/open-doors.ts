import { tmpdir } from 'node:os';
import { serveAgentDoor, serveOwnerDoor, type OpenAgent } from '../../door/serve.ts';
import type { SessionHello } from '../../model/agent-port.ts';
import { listenSocket } from '../sockets/listen.ts';
import { makeSocketFolder, socketPath } from '../sockets/socket-folder.ts';
import type { StateFolder } from '../state/folder.ts';
import type { CountedLinks } from './counted-links.ts';
import type { Home } from './home.ts';
import { systemClock } from './system.ts';

/** Opens both doors of a home; answers how to close them. */
export async function openDoors(
  folder: StateFolder,
  home: Home,
  links: CountedLinks,
  onBug: (thrown: unknown) => void,
): Promise<() => Promise<void>> {
  const runtimeDirs = [process.env['XDG_RUNTIME_DIR'], tmpdir()].filter(
    (dir): dir is string => dir !== undefined && dir !== '',
  );
  const sockets = await makeSocketFolder(folder.doors, runtimeDirs);
  const port = home.ownerPort();
  const owner = await listenSocket({
    path: socketPath(sockets, 'owner'),
    clock: systemClock,
    onLink: (link) => serveOwnerDoor({ link: links.count(link), onBug, port }),
    onError: onBug,
  });
  const agent = await listenSocket({
    path: socketPath(sockets, 'agent'),
    clock: systemClock,
    onLink: (link) => serveAgentDoor({ link: links.count(link), onBug, open: (hello) => openAgent(home, hello) }),
    onError: onBug,
  });
  return async () => {
    await agent.close();
    await owner.close();
  };
}

/** What the welcome calls the session: the name it gave, else what its client is called. */
async function openAgent(home: Home, hello: SessionHello): ReturnType<OpenAgent> {
  return { session: hello.name ?? hello.client.name, port: await home.agent(hello) };
}
