import type { Clock } from '../../base/clock.ts';

/** Resolves with the task, or without it when that takes longer; then the task goes on by itself. */
export function within(clock: Clock, limitMs: number, task: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limitMs, resolve);
    task.then(
      () => {
        cancel();
        resolve();
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}
