import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { harmOf } from './malformed/malformed.ts';
import { TARGETS } from './malformed/targets.ts';

/** An input that did harm once, or was sent to do some: kept for ever, and tried before any other. */
interface Crasher {
  readonly target: string;
  readonly what: string;
  readonly input: unknown;
}

const FOLDER = join(import.meta.dirname, 'corpus');
const crashers = readdirSync(FOLDER)
  .toSorted()
  // reason: written by hand and by the fuzzer, and each of them names its target
  .flatMap((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as readonly Crasher[]);

describe.each(TARGETS)('[F8] [DC-7] every input that ever did harm at $name', (target) => {
  const own = crashers.filter((crasher) => crasher.target === target.name);

  test('does none any more', async () => {
    for (const { input, what } of own) {
      const bench = await target.open();
      expect(await harmOf(target, bench, input), what).toBeUndefined();
      expect(bench.compare(), what).toBeUndefined();
      await bench.close();
    }
  });
});

test('every crasher names a target', () => {
  const names = new Set(TARGETS.map(({ name }) => name));
  expect(crashers.length).toBeGreaterThan(20);
  expect(crashers.filter(({ target }) => !names.has(target))).toEqual([]);
});
