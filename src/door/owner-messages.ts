import * as z from 'zod';
import type { Result } from '../base/result.ts';
import { ACTION_STATES } from '../model/action.ts';
import { RIGHTS } from '../model/decision.ts';
import { parseActionId, parseDeviceId, parseDigest, parseWorkspaceId } from '../model/ids.ts';
import { DOOR_LIMITS } from './limits.ts';
import { type Method, methodOf } from './method.ts';
import type { OwnerPort } from '../model/owner-port.ts';

const workspace = branded(parseWorkspaceId);
const actionId = branded(parseActionId);
const digest = branded(parseDigest);
const device = branded(parseDeviceId);
const path = z.string().min(1).max(DOOR_LIMITS.pathCharsMax);
const nothing = z.strictObject({});
const known = z.record(z.string().max(DOOR_LIMITS.nameCharsMax), z.enum(ACTION_STATES));
const timeoutMs = z.int().min(0).max(DOOR_LIMITS.waitMsMax);
const signedText = z.strictObject({
  payload: z.string(),
  signature: z.string().regex(/^[0-9a-f]{128}$/, 'expected 128 hexadecimal digits'),
});

/** The first message on the owner door, so that a newer command line and an older home can say what is wrong. */
export const ownerHelloSchema = z.strictObject({ protocol: z.int() });

/** Every method of the owner door after hello. */
export const OWNER_METHODS = {
  status: method(nothing, (port) => port.status()),
  openWorkspace: method(z.strictObject({ dir: path, adopt: z.boolean(), exclusive: z.boolean() }), (port, request) =>
    port.openWorkspace(request),
  ),
  queue: method(z.strictObject({ workspace, all: z.boolean() }), (port, request) => port.queue(request)),
  show: method(z.strictObject({ workspace, id: actionId }), (port, request) => port.show(request)),
  blob: method(z.strictObject({ workspace, hash: digest }), (port, request) => port.blob(request)),
  heartbeat: method(z.strictObject({ workspace }), (port, request) => port.heartbeat(request)),
  decide: method(
    z.strictObject({ workspace, decisions: z.array(signedText).max(DOOR_LIMITS.decisionsMax) }),
    (port, request) => port.decide(request),
  ),
  waitForChange: method(z.strictObject({ workspace, known, timeoutMs }), (port, request) =>
    port.waitForChange(request),
  ),
  quarantine: method(z.strictObject({ workspace }), (port, request) => port.quarantine(request)),
  leaveQuarantine: method(z.strictObject({ workspace }), (port, request) => port.leaveQuarantine(request)),
  standing: method(z.strictObject({ workspace }), (port, request) => port.standing(request)),
  panelLink: method(z.strictObject({ by: z.enum(['up', 'panel']) }), (port, request) => port.panelLink(request)),
  devices: method(nothing, (port) => port.devices()),
  revokeDevice: method(z.strictObject({ device }), (port, request) => port.revokeDevice(request)),
  setDeviceRight: method(z.strictObject({ device, right: z.enum(RIGHTS) }), (port, request) =>
    port.setDeviceRight(request),
  ),
  down: method(nothing, (port) => port.down()),
} as const satisfies Readonly<Record<string, Method<OwnerPort>>>;

export type OwnerMethod = keyof typeof OWNER_METHODS;

function method<T>(schema: z.ZodType<T>, run: (port: OwnerPort, params: T) => Promise<unknown>): Method<OwnerPort> {
  return methodOf(schema, run);
}

/** A branded text, judged by its one parse door; what is wrong is that door's own sentence. */
function branded<T extends string>(parse: (text: unknown) => Result<T>): z.ZodType<T> {
  return z.string().transform((text, context): T => {
    const parsed = parse(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: 'custom', message: parsed.error });
    return z.NEVER;
  });
}
