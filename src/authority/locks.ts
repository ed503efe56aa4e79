import type { Resource } from '../model/content.ts';

/** Effects and reverts that touch the same resource take turns (CA-3); others do not wait for each other. */
export class ResourceLocks {
  readonly #tails = new Map<Resource, Promise<unknown>>();

  run<T>(resources: readonly Resource[], task: () => Promise<T>): Promise<T> {
    const before = resources.flatMap((resource) => this.#tails.get(resource) ?? []);
    const result = Promise.all(before).then(task);
    const tail: Promise<void> = result.then(
      () => this.#release(resources, tail),
      () => this.#release(resources, tail), // The caller has the failure.
    );
    for (const resource of resources) this.#tails.set(resource, tail);
    return result;
  }

  #release(resources: readonly Resource[], tail: Promise<void>): void {
    for (const resource of resources) if (this.#tails.get(resource) === tail) this.#tails.delete(resource);
  }
}
