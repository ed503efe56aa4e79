import * as z from 'zod';
import type { AgentPort, SessionHello } from '../model/agent-port.ts';
import { DOOR_LIMITS } from './limits.ts';
import { type Method, methodOf } from './method.ts';

/** The first message on the agent door. */
export interface AgentHello {
  readonly protocol: number;
  readonly hello: SessionHello;
}

/** The home's answer to it. */
export interface AgentWelcome {
  readonly protocol: number;
  /** The session this connection belongs to. */
  readonly session: string;
}

const name = z.string().max(DOOR_LIMITS.nameCharsMax);
const ids = z.array(name).max(DOOR_LIMITS.idsMax).readonly();
const reason = z.string().max(DOOR_LIMITS.reasonCharsMax);
const nothing = z.strictObject({});
const mode = z.enum(['act', 'plan']).optional();

/** Any number: a home of another version answers with a sentence, not with a complaint about a field. */
const protocol = z.int();

export const agentHelloSchema: z.ZodType<AgentHello> = z.strictObject({
  protocol,
  hello: z.strictObject({
    name: name.min(1).nullable(),
    client: z.strictObject({ name, version: name }),
    transportId: name.nullable(),
    host: z.literal('mcp'),
    workspaceDir: z.string().min(1).max(DOOR_LIMITS.pathCharsMax),
    mode,
  }),
});

/** Every method of the agent door after hello. Nothing else exists on that socket (DC-10). */
export const AGENT_METHODS = {
  tools: method(nothing, (port) => port.tools()),
  call: method(z.strictObject({ tool: name, arguments: z.unknown(), callId: name.nullable(), mode }), (port, call) =>
    port.call(call),
  ),
  status: method(nothing, (port) => port.status()),
  withdraw: method(z.strictObject({ ids, reason: reason.nullable() }), (port, params) =>
    port.withdraw(params.ids, params.reason),
  ),
  wait: method(
    z.strictObject({ ids, forRoom: z.boolean(), timeoutMs: z.int().min(0).max(DOOR_LIMITS.waitMsMax) }),
    (port, request) => port.wait(request),
  ),
} as const satisfies Readonly<Record<string, Method<AgentPort>>>;

export type AgentMethod = keyof typeof AGENT_METHODS;

function method<T>(schema: z.ZodType<T>, run: (port: AgentPort, params: T) => Promise<unknown>): Method<AgentPort> {
  return methodOf(schema, run);
}
