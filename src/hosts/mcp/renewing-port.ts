import { CountersignError } from '../../base/errors.ts';
import type { AgentPort } from '../../model/agent-port.ts';

/** Opens a port. `again` is true when an earlier one was lost: a lost home is joined when it is back, never restarted. */
export type ConnectAgent = (options: { readonly again: boolean }) => Promise<AgentPort>;

/**
 * One session's port that outlives its connections. It connects at the first call; a call that finds the connection
 * gone connects once more and repeats itself, but only when the home cannot have taken it.
 */
export function renewingPort(connect: ConnectAgent): AgentPort {
  let current: Promise<AgentPort> | undefined;
  let connectedBefore = false;
  let closed = false;

  const open = async (): Promise<AgentPort> => {
    const port = await connect({ again: connectedBefore });
    connectedBefore = true;
    return port;
  };

  const connection = (): Promise<AgentPort> => {
    if (closed) return Promise.reject(new CountersignError('closed', 'This session was closed.'));
    if (current !== undefined) return current;
    const opening = open();
    current = opening;
    // The caller sees why; here it only means that the next call tries again.
    opening.catch(() => forget(opening));
    return opening;
  };

  const forget = (lost: Promise<AgentPort>): void => {
    if (current === lost) current = undefined;
  };

  const ask = async <T>(run: (port: AgentPort) => Promise<T>): Promise<T> => {
    const used = connection();
    const port = await used;
    try {
      return await run(port);
    } catch (thrown) {
      if (!CountersignError.is(thrown) || thrown.code !== 'closed') throw thrown;
      forget(used);
      if (thrown.effect !== 'none') throw thrown;
      return run(await connection());
    }
  };

  return {
    tools: () => ask((port) => port.tools()),
    call: (call) => ask((port) => port.call(call)),
    status: () => ask((port) => port.status()),
    withdraw: (ids, reason) => ask((port) => port.withdraw(ids, reason)),
    wait: (request) => ask((port) => port.wait(request)),
    async close() {
      closed = true;
      const last = current;
      current = undefined;
      // One that never opened has nothing to close.
      const port = await last?.catch(() => undefined);
      await port?.close();
    },
  };
}
