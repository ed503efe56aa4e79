import * as z from 'zod';
import { CountersignError } from '../base/errors.ts';
import type { AgentPort, SessionHello } from '../model/agent-port.ts';
import { AGENT_METHODS, agentHelloSchema, type AgentWelcome } from './agent-messages.ts';
import { Connection } from './connection.ts';
import { DOOR_LIMITS } from './limits.ts';
import type { Link } from './link.ts';
import { parseParams, type Request } from './messages.ts';
import type { Method } from './method.ts';
import type { OwnerPort } from '../model/owner-port.ts';
import { OWNER_METHODS, ownerHelloSchema } from './owner-messages.ts';

/** Opens the session that introduces itself. Throws `CountersignError`, for example where no workspace is guarded. */
export type OpenAgent = (hello: SessionHello) => Promise<{ readonly session: string; readonly port: AgentPort }>;

export interface ServeOptions {
  readonly link: Link;
  /** Hears of what is not a `CountersignError`: a bug. The owner of the process stops it. */
  readonly onBug: (thrown: unknown) => void;
}

/** Serves one connection of the agent door until it ends; then its port is closed. */
export function serveAgentDoor({ link, onBug, open }: ServeOptions & { readonly open: OpenAgent }): void {
  const behind = {
    async hello(params: unknown) {
      checkProtocol(params);
      const { session, port } = await open(parseParams(agentHelloSchema, params, 'hello').hello);
      return { port, welcome: { protocol: DOOR_LIMITS.protocol, session } satisfies AgentWelcome };
    },
    call: (port: AgentPort, request: Request) => callMethod(AGENT_METHODS, port, request),
    close: (port: AgentPort) => port.close(),
  };
  new Connection(link, behind, onBug).start();
}

/** Serves one connection of the owner door until it ends. The port is shared and stays open. */
export function serveOwnerDoor({ link, onBug, port }: ServeOptions & { readonly port: OwnerPort }): void {
  const behind = {
    async hello(params: unknown) {
      checkProtocol(params);
      parseParams(ownerHelloSchema, params, 'hello');
      return { port, welcome: { protocol: DOOR_LIMITS.protocol } };
    },
    call: (owner: OwnerPort, request: Request) => callMethod(OWNER_METHODS, owner, request),
    close: async () => {},
  };
  new Connection(link, behind, onBug).start();
}

/** The version is judged before anything else: another version may have other fields. */
function checkProtocol(params: unknown): void {
  const { protocol } = parseParams(z.looseObject({ protocol: z.int() }), params, 'hello');
  if (protocol === DOOR_LIMITS.protocol) return;
  const message =
    `This home speaks version ${DOOR_LIMITS.protocol} of the door and was asked for version ${protocol}: ` +
    'run "countersign down" and start again with one version of Countersign.';
  throw new CountersignError('too-new', message);
}

/** Throws: `bad-input` for a method this door does not have, or params that are not the method's. */
async function callMethod<Port>(
  methods: Readonly<Record<string, Method<Port>>>,
  port: Port,
  { method, params }: Request,
): Promise<unknown> {
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (found === undefined)
    throw new CountersignError('bad-input', `This door has no method ${JSON.stringify(method)}.`);
  return found(port, params, method);
}
