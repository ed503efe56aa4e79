import type { JsonObject } from '../base/canonical-json.ts';
import type { OverlayWrite } from '../model/action.ts';
import type { Resource } from '../model/content.ts';
import type { ActionId, Digest } from '../model/ids.ts';
import { printReference } from '../model/reference.ts';
import type { Overlay } from './overlay.ts';
import { isAtOrBelow, parentOf } from './resource.ts';
import type { Layer, OverlayView, OverlayWriter } from './types.ts';

/** Where bytes come from; throws `not-found`. */
export type ReadBlob = (hash: Digest) => Uint8Array;

/** A view that remembers whose effects it showed (SM-6). */
export class TrackedView implements OverlayView {
  readonly #overlay: Overlay;
  readonly #readBlob: ReadBlob;
  readonly #shown = new Set<ActionId>();
  readonly #place: number;

  /** `place`: show only what stands before it in the lane. */
  constructor(overlay: Overlay, readBlob: ReadBlob, place = Infinity) {
    this.#overlay = overlay;
    this.#readBlob = readBlob;
    this.#place = place;
  }

  /** The actions whose effects were answered so far. */
  get shown(): ReadonlySet<ActionId> {
    return this.#shown;
  }

  lookup(resource: Resource): Layer | undefined {
    const layer = this.#overlay.newest(resource, this.#place);
    if (layer !== undefined) this.#shown.add(layer.by);
    return layer;
  }

  children(parent: Resource): ReadonlyMap<Resource, Layer> {
    const found = this.#overlay.childrenOf(parent, this.#place);
    for (const layer of found.values()) this.#shown.add(layer.by);
    return found;
  }

  below(root: Resource): ReadonlyMap<Resource, Layer> {
    const found = this.#overlay.below(root, this.#place);
    for (const layer of found.values()) this.#shown.add(layer.by);
    return found;
  }

  blob(hash: Digest): Uint8Array {
    return this.#readBlob(hash);
  }
}

/** What one proposal would do: its writes on top of what it reads, kept aside until the action is made. */
export class StagedWriter implements OverlayWriter {
  readonly #view: TrackedView;
  readonly #overlay: Overlay;
  readonly #by: ActionId;
  readonly #place: number;
  readonly #hash: (bytes: Uint8Array) => Digest;
  readonly #writes = new Map<Resource, JsonObject | null>();
  readonly #blobs = new Map<Digest, Uint8Array>();
  readonly #carried = new Set<ActionId>();

  constructor(options: {
    readonly overlay: Overlay;
    readonly by: ActionId;
    readonly readBlob: ReadBlob;
    readonly hash: (bytes: Uint8Array) => Digest;
    readonly place?: number;
  }) {
    this.#place = options.place ?? Infinity;
    this.#overlay = options.overlay;
    this.#by = options.by;
    this.#hash = options.hash;
    this.#view = new TrackedView(options.overlay, options.readBlob, this.#place);
  }

  get writes(): readonly OverlayWrite[] {
    return [...this.#writes].map(([resource, value]) => ({ resource, value }));
  }

  get blobs(): readonly { readonly hash: Digest; readonly bytes: Uint8Array }[] {
    return [...this.#blobs].map(([hash, bytes]) => ({ hash, bytes }));
  }

  /** Whose effects this one depends on: what it read, and the newest version of what it replaces. */
  get needs(): ReadonlySet<ActionId> {
    const needs = new Set([...this.#view.shown, ...this.#carried]);
    for (const resource of this.#writes.keys()) {
      const replaced = this.#overlay.newest(resource, this.#place);
      if (replaced !== undefined) needs.add(replaced.by);
    }
    needs.delete(this.#by);
    return needs;
  }

  lookup(resource: Resource): Layer | undefined {
    const staged = this.#writes.get(resource);
    return staged === undefined ? this.#view.lookup(resource) : { value: staged, by: this.#by };
  }

  children(parent: Resource): ReadonlyMap<Resource, Layer> {
    return this.#merged(this.#view.children(parent), (resource) => parentOf(resource) === parent);
  }

  below(root: Resource): ReadonlyMap<Resource, Layer> {
    return this.#merged(this.#view.below(root), (resource) => isAtOrBelow(resource, root));
  }

  blob(hash: Digest): Uint8Array {
    return this.#blobs.get(hash) ?? this.#view.blob(hash);
  }

  put(resource: Resource, value: JsonObject | null): void {
    this.#writes.set(resource, value);
  }

  putBlob(bytes: Uint8Array): Digest {
    const hash = this.#hash(bytes);
    this.#blobs.set(hash, bytes);
    return hash;
  }

  reference(output: string): string {
    return printReference({ output, maker: this.#by });
  }

  #merged(
    present: ReadonlyMap<Resource, Layer>,
    isAsked: (resource: Resource) => boolean,
  ): ReadonlyMap<Resource, Layer> {
    const merged = new Map(present);
    for (const [resource, value] of this.#writes) if (isAsked(resource)) merged.set(resource, { value, by: this.#by });
    return new Map([...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Carries a reference to what this action will make, which makes it one that is needed (SM-4). */
  carry(maker: ActionId): void {
    this.#carried.add(maker);
  }
}
