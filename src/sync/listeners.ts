import type { Cancel } from '../base/clock.ts';

/** Who wants to hear of something. An exception of one is reported, and the others hear of it all the same. */
export class Listeners<T> {
  readonly #listeners = new Set<{ readonly run: (value: T) => void }>();
  readonly #onFault: (thrown: unknown) => void;

  constructor(onFault: (thrown: unknown) => void) {
    this.#onFault = onFault;
  }

  add(run: (value: T) => void): Cancel {
    const listener = { run };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(value: T): void {
    for (const { run } of this.#listeners) {
      try {
        run(value);
      } catch (thrown) {
        // Whatever a listener throws is its owner's fault, and no reason to stop.
        this.#onFault(thrown);
      }
    }
  }
}
