import { err, ok, type Result } from '../base/result.ts';
import { toBase32 } from '../base/bytes.ts';

declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

export type HomeId = Id<'home'>;
export type WorkspaceId = Id<'workspace'>;
export type DeviceId = Id<'device'>;
export type SessionId = Id<'session'>;
export type ActionId = Id<'action'>;
export type RuleId = Id<'rule'>;
/** SHA-256 as 64 lower-case hexadecimal digits. */
export type Digest = Id<'digest'>;

/** Bytes of entropy or hash in an id. */
export const ID_BYTES = 16;

const PREFIX = { home: 'h', workspace: 'w', device: 'd', session: 's', action: 'a', rule: 'r' } as const;
type Kind = keyof typeof PREFIX;

export const homeId = (bytes: Uint8Array): HomeId => make<HomeId>('home', bytes);
export const workspaceId = (bytes: Uint8Array): WorkspaceId => make<WorkspaceId>('workspace', bytes);
export const deviceId = (bytes: Uint8Array): DeviceId => make<DeviceId>('device', bytes);
export const sessionId = (bytes: Uint8Array): SessionId => make<SessionId>('session', bytes);
export const actionId = (bytes: Uint8Array): ActionId => make<ActionId>('action', bytes);
/** Made of the hash of the decision that adds it, so that its device can name it before the runtime does. */
export const ruleId = (hash: Uint8Array): RuleId => make<RuleId>('rule', hash);

export const parseHomeId = (text: unknown): Result<HomeId> => parse<HomeId>('home', text);
export const parseWorkspaceId = (text: unknown): Result<WorkspaceId> => parse<WorkspaceId>('workspace', text);
export const parseDeviceId = (text: unknown): Result<DeviceId> => parse<DeviceId>('device', text);
export const parseSessionId = (text: unknown): Result<SessionId> => parse<SessionId>('session', text);
export const parseActionId = (text: unknown): Result<ActionId> => parse<ActionId>('action', text);
export const parseRuleId = (text: unknown): Result<RuleId> => parse<RuleId>('rule', text);

export function parseDigest(text: unknown): Result<Digest> {
  if (typeof text !== 'string' || !/^[0-9a-f]{64}$/.test(text))
    return err('A digest is 64 lower-case hexadecimal digits.');
  return ok(text as Digest); // reason: the pattern is the brand
}

function make<T extends string>(kind: Kind, bytes: Uint8Array): T {
  // reason: the one place where ids are made
  return `${PREFIX[kind]}-${toBase32(bytes.subarray(0, ID_BYTES))}` as T;
}

function parse<T extends string>(kind: Kind, text: unknown): Result<T> {
  if (typeof text !== 'string' || !new RegExp(`^${PREFIX[kind]}-[a-z2-7]{26}$`).test(text)) {
    return err(`A ${kind} id is ${PREFIX[kind]}- and 26 letters or digits.`);
  }
  return ok(text as T); // reason: the pattern is the brand
}
