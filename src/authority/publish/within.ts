import type { Clock } from '../../base/clock.ts';

/** Resolves with the task, or without it when that takes longer; then the task goes on by itself. */
export async function within(clock: Clock, limitMs: number, task: Promise<unknown>): Promise<void> {
  let cancel = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(limitMs, resolve);
  });
  try {
    await Promise.race([task, late]);
  } finally {
    cancel();
  }
}
