import { expect, test } from 'vitest';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import type { Outcome } from '../../../src/authority/ports.ts';
import { put, workshop } from '../../support/workshop.ts';

test.each<[string, Outcome | undefined, Readonly<Record<number, string>>]>([
  ['it happened', undefined, { 1: 'applied', 2: 'applied', 3: 'applied' }],
  ['it did not', { type: 'failed', why: 'Locked.' }, { 1: 'not-applied', 2: 'approved', 3: 'applied' }],
])('[F9] an effect that hangs holds up its lane alone, and its late answer settles it: %s', async (_, answer, ends) => {
  const { agent, clock, idOf, person, settled, shelf, states } = await workshop();
  const [one, other] = [await agent('one'), await agent('other')];
  await put(one, 'hangs', 'x');
  await put(one, 'waits', 'x');
  let late: ((outcome: Outcome | undefined) => void) | undefined;
  shelf.hooks.beforeApply = (name) =>
    name === 'hangs' ? new Promise((resolve) => (late = resolve)) : Promise.resolve(undefined);
  await person.approve([idOf(1), idOf(2)]);
  await settled();
  clock.advance(AUTHORITY_LIMITS.effectMsMax - 1);
  await settled();
  expect(states(), 'one moment before its deadline').toEqual({ 1: 'applying', 2: 'approved' });
  await put(other, 'goes on', 'x');
  await person.approve([idOf(3)]);
  await settled();
  expect(states()).toEqual({ 1: 'applying', 2: 'approved', 3: 'applied' });
  clock.advance(1);
  await settled();
  expect(states(), 'at its deadline').toEqual({ 1: 'in-doubt', 2: 'approved', 3: 'applied' });
  late?.(answer);
  await settled();
  expect(states()).toEqual(ends);
});

test('[DR-3] the late answer of a revert lets go on what waited behind what falls with it', async () => {
  const { agent, clock, idOf, person, settled, shelf, states } = await workshop();
  const one = await agent('one');
  await put(one, 'taken back', 'x');
  await put(one, 'taken back', 'y');
  await put(one, 'waits', 'x');
  await person.approve([idOf(1), idOf(3)]);
  await settled();
  let late: (() => void) | undefined;
  shelf.hooks.beforeRevert = () => new Promise((resolve) => (late = () => resolve(undefined)));
  await person.decide({ kind: 'revert', ids: [idOf(1)] });
  await settled();
  clock.advance(AUTHORITY_LIMITS.effectMsMax);
  await settled();
  expect(states()).toEqual({ 1: 'revert-in-doubt', 2: 'pending', 3: 'approved' });
  late?.();
  await settled();
  expect(states()).toEqual({ 1: 'reverted', 2: 'rejected', 3: 'applied' });
});
