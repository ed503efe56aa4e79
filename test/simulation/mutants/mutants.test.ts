import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleWorker } from '../workers.ts';
import { hunt, seedsFor } from './hunt.ts';
import type { Mutant } from './mutant.ts';
import { plantedSources } from './plant.ts';
import { MUTANTS } from './planted/index.ts';

/**
 * Goal: the simulator finds what is wrong, and only what is wrong.
 * Method: bugs are planted while it is bundled; `npm run sim:mutants` hunts all of them, and here a few that are quick.
 */
const PATIENCE_MS = 240_000;

let sound: Awaited<ReturnType<typeof bundleWorker>>;
beforeAll(async () => {
  sound = await bundleWorker();
});
afterAll(() => sound.remove());

const named = (name: string): Mutant => {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (mutant === undefined) throw new Error(`no planted bug is called ${name}`);
  return mutant;
};

test('there are enough of them, and each has its own name', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
});

test.each(MUTANTS)('$name fits the sources, and seeds have what it wants', (mutant) => {
  expect(plantedSources(mutant)).toHaveLength(new Set(mutant.patches.map(({ file }) => file)).size);
  expect(seedsFor({ ...mutant, seedsMax: 3 }, 1)).toHaveLength(3);
});

test.each([
  ['receipt before durability', /^invariant 13:/],
  ['skip-ahead', /^invariant 7:/],
  ['two homes both open', /^invariant 16:/],
])(
  '%s is found',
  async (name, by) => {
    const { find, unfair } = await hunt(named(name), { from: 1, sound: sound.path });
    expect(unfair).toBeUndefined();
    expect(find?.what).toMatch(by);
  },
  PATIENCE_MS,
);

test(
  'what changes nothing is not found, and what only throws is not either',
  async () => {
    const [file, find] = ['src/authority/drain.ts', 'async #runLane(lane: string): Promise<void> {'];
    const planted = (name: string, replace: string): Mutant => {
      return { name, breaks: '', rules: [], patches: [{ file, find, replace }], seedsMax: 4, steps: 150 };
    };
    const nothing = await hunt(planted('nothing', find), { from: 1, sound: sound.path });
    expect(nothing).toMatchObject({ find: undefined, seeds: 4, threw: 0 });
    const throws = await hunt(planted('throws', `${find} throw new Error('planted');`), { from: 1, sound: sound.path });
    expect(throws).toMatchObject({ find: undefined, seeds: 4 });
    expect(throws.threw).toBeGreaterThan(0);
  },
  PATIENCE_MS,
);

test('a patch that does not fit names its bug', () => {
  const patches = [{ file: 'src/authority/drain.ts', find: 'nowhere to be read', replace: '' }];
  const mutant: Mutant = { name: 'lost', breaks: '', rules: [], patches };
  expect(() => plantedSources(mutant)).toThrow('The planted bug "lost" does not fit');
});
