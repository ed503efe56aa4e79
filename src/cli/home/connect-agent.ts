import { CountersignError } from '../../base/errors.ts';
import { agentDoorClient } from '../../door/client.ts';
import type { AgentPort, SessionHello } from '../../model/agent-port.ts';
import { connectSocket } from '../sockets/connect.ts';
import { findSocketFolder, socketPath } from '../sockets/socket-folder.ts';
import type { StateFolder } from '../state/folder.ts';
import { inTime } from './connect-owner.ts';
import { systemClock } from './system.ts';

/** A session over the agent door of the running home. Throws `closed` when none runs. */
export async function connectAgent(folder: StateFolder, hello: SessionHello): Promise<AgentPort> {
  const sockets = await findSocketFolder(folder.doors);
  if (sockets === undefined) throw new CountersignError('closed', 'No home runs.');
  const link = await connectSocket({ path: socketPath(sockets, 'agent'), clock: systemClock });
  return inTime(agentDoorClient(link, hello), () => link.close());
}
