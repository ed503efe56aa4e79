import { expect, test } from 'vitest';
import { Mutex } from '../../../src/base/mutex.ts';

/** A door that the test opens. */
function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

test('tasks run one at a time, in the order they were asked for', async () => {
  const mutex = new Mutex();
  const log: string[] = [];
  const gates = [gate(), gate(), gate()];
  const runs = gates.map((door, i) =>
    mutex.run(async () => {
      log.push(`begin ${i}`);
      await door.passed;
      log.push(`end ${i}`);
      return i;
    }),
  );
  // Opened last first: the mutex and not the tasks decides the order.
  for (const door of gates.toReversed()) door.open();
  expect(await Promise.all(runs)).toEqual([0, 1, 2]);
  expect(log).toEqual(['begin 0', 'end 0', 'begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('a failing task fails for its caller alone', async () => {
  const mutex = new Mutex();
  const failing = mutex.run(() => Promise.reject(new Error('broken')));
  const next = mutex.run(() => Promise.resolve('fine'));
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('fine');
});

test('a task that throws before it returns a promise does not stop the next', async () => {
  const mutex = new Mutex();
  const failing = mutex.run(() => {
    throw new Error('at once');
  });
  await expect(failing).rejects.toThrow('at once');
  expect(await mutex.run(() => Promise.resolve(1))).toBe(1);
});
