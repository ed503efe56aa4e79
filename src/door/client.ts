import type { AgentPort, SessionHello } from '../model/agent-port.ts';
import type { AgentMethod, AgentWelcome } from './agent-messages.ts';
import { DoorCalls } from './calls.ts';
import { DOOR_LIMITS } from './limits.ts';
import type { Link } from './link.ts';
import type { OwnerPort } from '../model/owner-port.ts';
import type { OwnerMethod } from './owner-messages.ts';

/** An agent's session over a link. Throws what the home answers to hello; the link is closed then. */
export async function agentDoorClient(
  link: Link,
  hello: SessionHello,
): Promise<AgentPort & { readonly session: string }> {
  const calls = new DoorCalls(link);
  // reason: the home is this program in the version that hello agreed on; its answers have the types of the port
  const ask = <T>(method: AgentMethod, params: unknown, changes: boolean) =>
    calls.request(method, params, { changes }) as Promise<T>;
  const welcome = await greet<AgentWelcome>(calls, { protocol: DOOR_LIMITS.protocol, hello });
  return {
    session: welcome.session,
    tools: () => ask('tools', {}, false),
    call: (call) => ask('call', call, true),
    status: () => ask('status', {}, false),
    withdraw: (ids, reason = null) => ask('withdraw', { ids, reason }, true),
    wait: (request) => ask('wait', request, false),
    close: async () => calls.close(),
  };
}

/** The owner's own programs over a link. Throws what the home answers to hello; the link is closed then. */
export async function ownerDoorClient(link: Link): Promise<OwnerPort> {
  const calls = new DoorCalls(link);
  // reason: as above
  const ask = <T>(method: OwnerMethod, params: unknown, changes: boolean) =>
    calls.request(method, params, { changes }) as Promise<T>;
  await greet(calls, { protocol: DOOR_LIMITS.protocol });
  return {
    status: () => ask('status', {}, false),
    openWorkspace: (request) => ask('openWorkspace', request, true),
    queue: (request) => ask('queue', request, false),
    show: (request) => ask('show', request, false),
    blob: (request) => ask('blob', request, false),
    heartbeat: (request) => ask('heartbeat', request, false),
    decide: (request) => ask('decide', request, true),
    waitForChange: (request) => ask('waitForChange', request, false),
    standing: (request) => ask('standing', request, false),
    panelLink: (request) => ask('panelLink', request, true),
    devices: () => ask('devices', {}, false),
    revokeDevice: (request) => ask('revokeDevice', request, true),
    setDeviceRight: (request) => ask('setDeviceRight', request, true),
    quarantine: (request) => ask('quarantine', request, false),
    leaveQuarantine: (request) => ask('leaveQuarantine', request, true),
    down: () => ask('down', {}, true),
    close: async () => calls.close(),
  };
}

async function greet<Welcome>(calls: DoorCalls, hello: unknown): Promise<Welcome> {
  try {
    // reason: as above
    return (await calls.request('hello', hello, { changes: false })) as Welcome;
  } catch (thrown) {
    calls.close();
    throw thrown;
  }
}
