import type { OverlayWrite } from '../model/action.ts';
import type { ActionId } from '../model/ids.ts';
import type { Resource } from '../model/content.ts';
import { isAtOrBelow, parentOf } from './resource.ts';
import type { Layer } from './types.ts';

interface Placed extends Layer {
  readonly place: number;
}

/**
 * The live effects of one root session, folded: per resource the versions its actions made, in lane order.
 * The newest one is what the agent reads. Everything is indexed, so no answer depends on how much is pending.
 */
export class Overlay {
  readonly #versions = new Map<Resource, readonly Placed[]>();
  readonly #children = new Map<Resource, Set<Resource>>();
  readonly #writtenBy = new Map<ActionId, readonly Resource[]>();

  get size(): number {
    return this.#writtenBy.size;
  }

  /** Adds an action's effect at its place, or moves it there. */
  add(by: ActionId, place: number, writes: readonly OverlayWrite[]): void {
    this.remove(by);
    const resources: Resource[] = [];
    for (const { resource, value } of writes) {
      const versions = [...(this.#versions.get(resource) ?? []), { value, by, place }];
      this.#set(
        resource,
        versions.toSorted((a, b) => a.place - b.place),
      );
      resources.push(resource);
    }
    this.#writtenBy.set(by, resources);
  }

  /** Takes an action's effect out: it was rejected, or the ground has it now. */
  remove(by: ActionId): void {
    for (const resource of this.#writtenBy.get(by) ?? []) {
      this.#set(
        resource,
        (this.#versions.get(resource) ?? []).filter((version) => version.by !== by),
      );
    }
    this.#writtenBy.delete(by);
  }

  clear(): void {
    this.#versions.clear();
    this.#children.clear();
    this.#writtenBy.clear();
  }

  /** The newest version of a resource made before `place`; of all, without `place`. */
  newest(resource: Resource, place = Infinity): Layer | undefined {
    return this.#versions.get(resource)?.findLast((version) => version.place < place);
  }

  /** The newest versions of what stands directly in `parent`, in key order. */
  childrenOf(parent: Resource, place = Infinity): ReadonlyMap<Resource, Layer> {
    const found = new Map<Resource, Layer>();
    for (const resource of [...(this.#children.get(parent) ?? [])].toSorted()) {
      const layer = this.newest(resource, place);
      if (layer !== undefined) found.set(resource, layer);
    }
    return found;
  }

  /** The newest versions of a resource and of what lies below it, in key order: folders before what is in them. */
  below(root: Resource, place = Infinity): ReadonlyMap<Resource, Layer> {
    const found = new Map<Resource, Layer>();
    for (const resource of [...this.#versions.keys()].filter((each) => isAtOrBelow(each, root)).toSorted()) {
      const layer = this.newest(resource, place);
      if (layer !== undefined) found.set(resource, layer);
    }
    return found;
  }

  /** The actions that have a live version of this resource, oldest first. */
  makersOf(resource: Resource): readonly ActionId[] {
    return (this.#versions.get(resource) ?? []).map((version) => version.by);
  }

  /** Every resource with a live version: what is pending, by target. */
  resources(): IterableIterator<Resource> {
    return this.#versions.keys();
  }

  #set(resource: Resource, versions: readonly Placed[]): void {
    const parent = parentOf(resource);
    if (versions.length > 0) {
      this.#versions.set(resource, versions);
      if (parent === undefined) return;
      const siblings = this.#children.get(parent);
      if (siblings === undefined) this.#children.set(parent, new Set([resource]));
      else siblings.add(resource);
      return;
    }
    this.#versions.delete(resource);
    if (parent === undefined) return;
    const siblings = this.#children.get(parent);
    siblings?.delete(resource);
    if (siblings?.size === 0) this.#children.delete(parent);
  }
}
