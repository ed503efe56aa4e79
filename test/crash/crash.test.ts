import { onTestFinished, describe, expect, test } from 'vitest';
import type { ActionState } from '../../src/model/action.ts';
import { builtPrograms, type Programs } from '../support/crash-build.ts';
import { straceVersion } from '../support/crash-strace.ts';
import { openBench, type Bench } from './bench-place.ts';
import { wrongEnd } from './ends.ts';
import { enumerate } from './enumerate.ts';
import { killLoop } from './kill-loop.ts';
import type { Scenario } from './scenarios.ts';

const DRAIN: Scenario = { name: 'drain E1', scene: 'drain-E1' };
const PUBLISH: Scenario = { name: 'publish', scene: 'publish', window: 'decides' };
const PUBLISH_AGAIN: Scenario = {
  name: 'publish again',
  scene: 'publish-start',
  window: 'looks',
  prelude: { scene: 'publish' },
};

let programs: Promise<Programs> | undefined;

async function benchForTest(): Promise<Bench> {
  programs ??= builtPrograms();
  const bench = await openBench(await programs);
  onTestFinished(() => bench.close());
  return bench;
}

/** `npm run crash` tries every call; here are a few of them, so that the nets themselves are known to hold. */
describe.runIf(straceAtHand())('with faults at single system calls', () => {
  const tools = { stride: 53 };

  test('[F1] [F2] whatever is struck while an effect is approved and applied, it happens once', async () => {
    const bench = await benchForTest();
    const found = await enumerate(DRAIN, [bench], tools);
    expect(found.wrong).toEqual([]);
    expect(found.tried.KILL + found.tried.EIO + found.tried.ENOSPC).toBeGreaterThan(2);
  });

  test('[EF-5] [F2] a folder of the relay that cannot be synced when its database is made is told', async () => {
    const bench = await benchForTest();
    const found = await enumerate(PUBLISH_AGAIN, [bench], { stride: 1, cases: /^EIO at fsync \d+ on state-relay$/ });
    expect(found.wrong).toEqual([]);
    // One that is listened to, and SQLite's own.
    expect(found.tried.EIO).toBe(2);
  });

  test('[EF-5] [F2] a flush of the relay that fails, even when it lets go of its database, stops the process', async () => {
    const bench = await benchForTest();
    const found = await enumerate(PUBLISH, [bench], { stride: 1, cases: /^EIO at fsync \d+ on relay\.db$/ });
    expect(found.wrong).toEqual([]);
    expect(found.tried.EIO).toBeGreaterThan(0);
  });

  // The others are found, too: `npm run crash -- faults --plant BUG`.
  test('a planted bug is found: what is committed counts before it is durable', async () => {
    const bench = await benchForTest();
    const found = await enumerate(DRAIN, [bench], { ...tools, plant: 'early' });
    expect(found.wrong.join('\n')).toContain('one was answered, and is lost');
  });
});

test('[F1] a state that is killed again and again under load keeps every answer', async () => {
  const bench = await benchForTest();
  const found = await killLoop(bench, { cycles: 4, seed: 7, every: 4 });
  expect(found).toMatchObject({ cycles: 4, wrong: [] });
  expect(found.answers).toBeGreaterThan(5);
});

describe('what counts as wrong', () => {
  const killed = { received: new Set(['approve']), last: undefined, fate: 'killed' } as const;

  test.each<[string, ActionState, 'E1' | 'E4', number, number]>([
    ['a second effect', 'applied', 'E1', 2, 0],
    ['an effect that nobody knows of', 'rejected', 'E1', 1, 0],
    ['an effect that is said to have happened, and has not', 'applied', 'E1', 0, 0],
    ['a revert that is said to have happened, and has not', 'reverted', 'E1', 1, 0],
    ['an approval that is lost', 'pending', 'E1', 0, 0],
    ['a doubt where there is none', 'in-doubt', 'E1', 1, 0],
    ['something that still moves', 'applying', 'E1', 0, 0],
    ['a blind effect that happened twice, though it is in doubt', 'in-doubt', 'E4', 2, 0],
  ])('%s', (_, state, effectClass, effects, undone) => {
    expect(wrongEnd({ state, effectClass, name: 'one', effects, undone }, killed)).not.toEqual([]);
  });

  test.each<[string, ActionState, 'E1' | 'E4', number, number]>([
    ['once', 'applied', 'E1', 1, 0],
    ['taken back', 'reverted', 'E4', 1, 1],
    ['blind, and in doubt', 'in-doubt', 'E4', 1, 0],
  ])('and nothing is: %s', (_, state, effectClass, effects, undone) => {
    expect(wrongEnd({ state, effectClass, name: 'one', effects, undone }, killed)).toEqual([]);
  });
});

function straceAtHand(): boolean {
  if (straceVersion() !== undefined) return true;
  process.stderr.write('\nNO STRACE: no fault was injected at a system call; .ci/run installs it and tries them all\n');
  return false;
}
