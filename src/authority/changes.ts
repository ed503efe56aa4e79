import type { Clock } from '../base/clock.ts';

/** Wakes those who wait for the state to change. */
export class Changes {
  readonly #waiting = new Set<() => void>();

  fire(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Resolves with the first answer of `look` that is not `undefined`, asked at once and after every change; else `undefined` at the time-out or abort. */
  until<T>(
    look: () => T | undefined,
    options: { readonly clock: Clock; readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(wake);
        cancel();
        options.signal?.removeEventListener('abort', stop);
      };
      const end = (answer: T | undefined): void => {
        leave();
        resolve(answer);
      };
      const stop = (): void => end(undefined);
      const wake = (): void => {
        // A look that fails is its own waiter's trouble, never that of whoever made the change.
        try {
          const answer = look();
          if (answer !== undefined) end(answer);
        } catch (error) {
          leave();
          reject(error);
        }
      };
      const cancel = options.clock.after(options.timeoutMs, stop);
      options.signal?.addEventListener('abort', stop);
      this.#waiting.add(wake);
      if (options.signal?.aborted === true) stop();
      else wake();
    });
  }
}
