import type { JsonObject } from '../base/canonical-json.ts';
import type { Digest, WorkspaceId } from './ids.ts';

/** Semantics §5. E0 transactional · E1 compare-and-set · E2 keyed · E3 probeable · E4 blind. */
export type EffectClass = 'E0' | 'E1' | 'E2' | 'E3' | 'E4';

/** What a rule keys on, and what people read. Tags are stable, dotted, lower case: `file.write`. */
export interface ActionKind {
  readonly tag: string;
  readonly label: string;
}

/** Something an action reads or writes. Keys are hierarchical with `/`: `file:src/app.ts`. */
export type Resource = string;

/** What must still be true of a resource when the effect begins: `absent`, or the surface's own fingerprint. */
export interface Precondition {
  readonly resource: Resource;
  readonly expect: string;
}

/** Stands in canonical values for bytes that live in the blob store. `$blob` is their SHA-256. */
export interface BlobRef {
  readonly $blob: Digest;
  readonly bytes: number;
}

/** Strings longer than this many UTF-8 bytes leave the arguments for the blob store. */
export const INLINE_BYTES_MAX = 256;

/**
 * Everything a person countersigns, and nothing else: the digest of an action is the digest of this.
 * It holds no id, time or session, so that the same call on the same world has the same digest.
 */
export interface ActionContent {
  readonly v: 1;
  readonly workspace: WorkspaceId;
  readonly kind: ActionKind;
  readonly tool: string;
  /** Digest of the tool's definition and card template: a tool that changes makes another action. */
  readonly toolDigest: Digest;
  /** The agent's canonical arguments, long strings as `BlobRef`. */
  readonly arguments: JsonObject;
  /** The normal form the surface will apply: explicit, complete, independent of the agent. */
  readonly effect: JsonObject;
  readonly preconditions: readonly Precondition[];
  readonly writes: readonly Resource[];
  readonly effectClass: EffectClass;
  /** E2 only: milliseconds for which doing it again with the same key does not do it twice. */
  readonly keyWindowMs?: number;
  readonly reversible: boolean;
  readonly awaitDecision: boolean;
  readonly lane: string | null;
}

/** The surface author's word on this very action (semantics: verdict). */
export interface Verdict {
  readonly autoApprovable: boolean;
  readonly reason: string;
}
