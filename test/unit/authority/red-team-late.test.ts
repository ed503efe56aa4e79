import { describe, expect, test } from 'vitest';
import { put, workshop } from '../../support/workshop.ts';

describe('what a hostile review found of what comes late', () => {
  test('[CA-1] [EF-2] a person’s word that a revert happened takes down what waits to stand on it', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await person.approve([idOf(1)]);
    await settled();
    shelf.hooks.beforeRevert = async () => ({ type: 'in-doubt', why: 'The line is dead.' });
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect(states()).toEqual({ 1: 'revert-in-doubt', 2: 'pending' });
    await person.decide({ kind: 'settle', ids: [idOf(1)], body: { answer: 'happened', attempt: 1 } });
    expect(states()).toEqual({ 1: 'reverted', 2: 'rejected' });
  });
});
