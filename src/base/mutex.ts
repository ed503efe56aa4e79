/** Runs one task at a time, in the order they were asked for; a failing task does not stop the next. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    // The caller sees the failure through `result`; the chain only needs to know that the task ended.
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
