import type { JsonObject } from '../base/canonical-json.ts';
import { canonicalBytes } from '../base/canonical-json.ts';
import { concat, utf8 } from '../base/bytes.ts';
import type { ActionContent } from '../model/content.ts';
import type { Digest, WorkspaceId } from '../model/ids.ts';
import { canRevert, effectClassOf } from './effect-class.ts';
import type { Described, Surface } from './ports.ts';

const TOOL_DOMAIN = utf8('countersign tool|1\n');

/** What the tool is, as the agent and the person see it: a change makes every queued action be looked at again. */
export function toolDigest(surface: Surface, hash: (bytes: Uint8Array) => Digest): Digest {
  const known = digests.get(surface);
  if (known !== undefined) return known;
  const { name, title, description, inputSchema, annotations } = surface.tool;
  const { card, kind, outputs } = surface;
  const definition = { name, title, description, inputSchema, annotations, kind, card, outputs };
  const digest = hash(concat(TOOL_DOMAIN, canonicalBytes(definition)));
  digests.set(surface, digest);
  return digest;
}

/** A surface is data and does not change: a tool that changes is another surface. */
const digests = new WeakMap<Surface, Digest>();

export function contentOf(options: {
  readonly workspace: WorkspaceId;
  readonly surface: Surface;
  readonly toolDigest: Digest;
  readonly arguments: JsonObject;
  readonly described: Described;
}): ActionContent {
  const { described, surface } = options;
  return {
    v: 1,
    workspace: options.workspace,
    kind: surface.kind,
    tool: surface.tool.name,
    toolDigest: options.toolDigest,
    arguments: options.arguments,
    effect: described.effect,
    preconditions: described.preconditions,
    writes: described.writes,
    ...effectClassOf(surface, described),
    reversible: described.reversible && canRevert(surface),
    awaitDecision: described.awaitDecision || surface.simulate === undefined,
    lane: described.lane,
  };
}
