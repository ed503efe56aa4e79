import { expect, test } from 'vitest';
import { read, record } from '../../../src/base/shape.ts';

test.each([
  ['a name', 'x'.repeat(5_000)],
  ['one that is cut inside a character', `x${'😀'.repeat(3_000)}`],
])('[DC-7] what is wrong is said in a short sentence, whatever a stranger called it: %s', (_, name) => {
  const result = read(record({}), { [name]: 1 });
  expect(result.ok).toBe(false);
  const why = result.ok ? '' : result.error;
  expect(why).toMatch(/^x.* is not known\.$/u);
  expect(why.length).toBeLessThan(200);
  expect(why.isWellFormed()).toBe(true);
});
