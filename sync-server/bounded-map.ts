/** A map of at most `max` keys; one more makes it forget the oldest. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  /** As the newest key, also when it was there before. */
  set(key: K, value: V): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#max && oldest !== undefined) this.#entries.delete(oldest);
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  /** Forgets what `gone` says of. */
  sweep(gone: (value: V) => boolean): void {
    for (const [key, value] of this.#entries) if (gone(value)) this.#entries.delete(key);
  }
}
