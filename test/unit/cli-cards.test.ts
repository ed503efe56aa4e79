import { expect, test } from 'vitest';
import { CARD_TEMPLATES } from '../../src/cli/commands/cards.ts';
import { surfacePacks } from '../../src/cli/home/surface-packs.ts';

test('[T1] the command line knows the card of every kind a home has, and no other', () => {
  const packs = surfacePacks({ root: '/project', stateDir: '/state' });
  const known = packs.flatMap(({ surfaces }) => surfaces.map(({ card, kind }) => [kind.tag, card] as const));
  expect(CARD_TEMPLATES).toEqual(new Map(known));
});
