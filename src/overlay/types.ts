import type { JsonObject } from '../base/canonical-json.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import type { Resource } from '../model/content.ts';

/** The newest live version of a resource: `null` is absence. `by` made it. */
export interface Layer {
  readonly value: JsonObject | null;
  readonly by: ActionId;
}

/**
 * A root session's pending effects, as a surface reads them. Every answer is tracked: what a write reads becomes
 * *needs*, what a read shows becomes *saw* (SM-6).
 */
export interface OverlayView {
  /** The newest live version of this resource; `undefined` when no live action made one and the ground counts. */
  lookup(resource: Resource): Layer | undefined;
  /** Resources directly under this one that live actions made, replaced or removed, in key order. */
  children(parent: Resource): ReadonlyMap<Resource, Layer>;
  /** The same for this one and everything below it, however deep. Costs what is pending, not what the world holds. */
  below(root: Resource): ReadonlyMap<Resource, Layer>;
  /** Bytes of the blob store. Throws `not-found` when they are missing. */
  blob(hash: Digest): Uint8Array;
}

/** The same, for a simulation: what it writes stands on top of what it reads. */
export interface OverlayWriter extends OverlayView {
  put(resource: Resource, value: JsonObject | null): void;
  /** Stores bytes and answers their address. */
  putBlob(bytes: Uint8Array): Digest;
  /**
   * Stands for what this action will make, under the name its surface declares in `outputs`: for its simulated result
   * and for what it puts, never for its own effect.
   */
  reference(output: string): string;
}
