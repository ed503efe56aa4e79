import { describe, expect, test } from 'vitest';
import type { RevertOutcome } from '../../../src/authority/ports.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

/** Three texts of one note, each on the one before, and another note; all applied. `waiting`: a fourth, #5, is not. */
async function written(options: { readonly waiting?: true } = {}): Promise<{ readonly made: Workshop }> {
  const made = await workshop();
  const port = await made.agent();
  for (const text of ['one', 'two', 'three']) await put(port, 'a', text);
  await put(port, 'b', 'beside');
  if (options.waiting === true) await put(port, 'a', 'four');
  await made.person.approve([1, 2, 3, 4].map((seq) => made.idOf(seq)));
  await made.settled();
  expect(made.states()).toMatchObject({ 1: 'applied', 2: 'applied', 3: 'applied', 4: 'applied' });
  made.shelf.effects.length = 0;
  return { made };
}

async function planOf({ authority, idOf }: Workshop, seq: number) {
  const plan = (await authority.show(idOf(seq))).revertPlan;
  if (plan === null) throw new Error(`#${seq} is not applied`);
  return plan;
}

const revert = ({ idOf, person }: Workshop, seqs: readonly number[], planHash?: string) =>
  person.decide({ kind: 'revert', ids: seqs.map(idOf), ...(planHash === undefined ? {} : { body: { planHash } }) });

const reasonOf = ({ authority }: Workshop, seq: number) =>
  authority.queue({ all: true }).find((row) => row.seq === seq)?.why;

describe('reverting what others stand on', () => {
  test('[CA-4] the plan is shown whole, in reverse order, and refused until it is signed by its hash', async () => {
    const { made } = await written();
    const plan = await planOf(made, 1);
    expect(plan.steps.map(({ seq }) => seq)).toEqual([3, 2, 1]);
    expect(await revert(made, [1])).toEqual([
      { id: made.idOf(1), result: 'refused', why: 'Reverting #1 takes back #3 and #2 first, because they need it.' },
    ]);
    const foreign = (await planOf(made, 2)).hash;
    expect(await revert(made, [1], foreign), 'another plan’s hash').toMatchObject([{ result: 'refused' }]);
    expect(made.shelf.effects).toEqual([]);
    expect(await revert(made, [1], plan.hash)).toMatchObject([{ result: 'received' }]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'reverted', 2: 'reverted', 3: 'reverted', 4: 'applied' });
    expect(made.shelf.effects).toEqual(['revert a', 'revert a', 'revert a']);
    expect(made.shelf.notes.has('a')).toBe(false);
  });

  test('[CA-4] a list that names every step is the plan itself, whatever its order', async () => {
    const { made } = await written();
    expect(await revert(made, [1, 3, 2])).toMatchObject([
      { result: 'received' },
      { result: 'received' },
      { result: 'received' },
    ]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'reverted', 2: 'reverted', 3: 'reverted', 4: 'applied' });
  });

  test('[CA-4] a plan that has changed since it was signed is refused', async () => {
    const { made } = await written();
    const { hash } = await planOf(made, 1);
    await revert(made, [3]);
    await made.settled();
    expect(await revert(made, [1], hash)).toMatchObject([{ result: 'refused' }]);
    const now = await planOf(made, 1);
    expect(now.steps.map(({ seq }) => seq)).toEqual([2, 1]);
    expect(await revert(made, [1], now.hash)).toMatchObject([{ result: 'received' }]);
  });

  test('[CA-4] a step that refuses stops it: what is left stays applied, and says why', async () => {
    const { made } = await written();
    const { hash } = await planOf(made, 1);
    let reverts = 0;
    made.shelf.hooks.beforeRevert = async () =>
      ++reverts === 2 ? { type: 'refused', why: 'Somebody edits it.', canRetry: false } : undefined;
    await revert(made, [1], hash);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'reverted', 4: 'applied' });
    expect(reasonOf(made, 2)).toBe('Not reverted: Somebody edits it.');
    expect(reasonOf(made, 1)).toBe('Not reverted: #2 had to go back first, and did not. Somebody edits it.');
    expect(made.journal.liveRecords('meta'), 'nothing is owed any more').toEqual([]);
  });

  test('[CA-4] what has nothing to do with the stopped step goes its own way', async () => {
    const { made } = await written();
    made.shelf.hooks.beforeRevert = async (name) =>
      name === 'a' ? { type: 'refused', why: 'Somebody edits it.', canRetry: false } : undefined;
    await revert(made, [1, 2, 3, 4]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'applied', 4: 'reverted' });
  });

  test('[CA-4] what waits for its turn says for whom, and is not taken back twice', async () => {
    const { made } = await written();
    const { hash } = await planOf(made, 1);
    let goOn: () => void = () => undefined;
    made.shelf.hooks.beforeRevert = () => {
      delete made.shelf.hooks.beforeRevert;
      return new Promise((resolve) => void (goOn = () => resolve(undefined)));
    };
    await revert(made, [1], hash);
    await made.settled();
    const [first] = made.authority.queue({ all: true });
    expect(first).toMatchObject({ state: 'applied', waitsFor: [made.idOf(3)] });
    expect(await revert(made, [1], hash)).toMatchObject([
      { result: 'refused', why: '#1 is being taken back already.' },
    ]);
    goOn();
    await made.settled();
    expect(made.states()).toMatchObject({ 1: 'reverted', 2: 'reverted', 3: 'reverted' });
    expect(made.authority.queue({ all: true })[0]).toMatchObject({ waitsFor: [] });
  });

  test('[CA-4] nothing is taken back from under what is being applied', async () => {
    const { made } = await written({ waiting: true });
    made.shelf.hooks.beforeApply = () => new Promise(() => undefined);
    await made.person.approve([made.idOf(5)]);
    await made.settled();
    expect(await revert(made, [3])).toMatchObject([
      { result: 'refused', why: '#3 cannot be reverted now: #5, which needs it, is applying.' },
    ]);
    expect((await planOf(made, 3)).inTheWay).toMatchObject([{ seq: 5, state: 'applying' }]);
    expect((await made.authority.show(made.idOf(3))).revertable).toMatchObject({ feasible: false });
    expect(await revert(made, [4]), 'what does not need it is free').toMatchObject([{ result: 'received' }]);
  });

  test('[CA-4] [CA-1] what waits to stand on a step cannot begin meanwhile, and falls with it', async () => {
    const { made } = await written({ waiting: true });
    const { hash } = await planOf(made, 1);
    let goOn: () => void = () => undefined;
    made.shelf.hooks.beforeRevert = () =>
      new Promise<RevertOutcome | undefined>((resolve) => {
        goOn = () => resolve(undefined);
        delete made.shelf.hooks.beforeRevert;
      });
    await revert(made, [1], hash);
    await made.settled();
    await made.person.approve([made.idOf(5)]);
    await made.settled();
    expect(made.states()).toMatchObject({ 3: 'reverting', 5: 'approved' });
    goOn();
    await made.settled();
    expect(made.states()).toEqual({ 1: 'reverted', 2: 'reverted', 3: 'reverted', 4: 'applied', 5: 'rejected' });
  });

  test('[CA-4] what begins to stand on a later step meanwhile keeps that step where it is', async () => {
    const world = shelf();
    const [surface] = world.pack.surfaces;
    if (surface === undefined) throw new Error('the shelf has a surface');
    const describing = surface.describe.bind(surface);
    const inFolder: typeof describing = (args, overlay) => {
      overlay.lookup('note:folder');
      return describing(args, overlay);
    };
    Object.assign(surface, { describe: inFolder });
    const made = await workshop({ shelf: world });
    const port = await made.agent();
    for (const name of ['folder', 'x', 'y']) await put(port, name, 'text');
    await made.person.approve([made.idOf(1), made.idOf(2)]);
    await made.settled();
    const { hash, steps } = await planOf(made, 1);
    expect(steps.map(({ seq }) => seq)).toEqual([2, 1]);
    let goOn: () => void = () => undefined;
    world.hooks.beforeRevert = () => new Promise((resolve) => void (goOn = () => resolve(undefined)));
    world.hooks.beforeApply = () => new Promise(() => undefined);
    await revert(made, [1], hash);
    await made.person.approve([made.idOf(3)]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied', 2: 'reverting', 3: 'applying' });
    goOn();
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied', 2: 'reverted', 3: 'applying' });
    expect(reasonOf(made, 1)).toBe('Not reverted: #3, which needs it, is applying.');
  });

  test('[CA-2] a revert is offered when all of its plan can be done, and not when a step cannot', async () => {
    const { made } = await written();
    const offered = async (seq: number) => (await made.authority.show(made.idOf(seq))).revertable;
    expect(await offered(1)).toEqual({ feasible: true, why: 'It takes back #3 and #2 first.' });
    made.shelf.notes.set('a', 'edited since');
    expect(await offered(1)).toEqual({ feasible: false, why: '#3 stands on it: a is not as this left it.' });
  });
});

describe('a plan and a crash', () => {
  async function crashed(
    step: number,
    done: boolean,
  ): Promise<{ readonly before: Workshop; readonly after: Workshop }> {
    const { made } = await written();
    const { hash } = await planOf(made, 1);
    let reverts = 0;
    made.shelf.hooks.beforeRevert = (name) => {
      if (++reverts !== step) return Promise.resolve(undefined);
      const texts: Record<string, string | undefined> = { three: 'two', two: 'one', one: undefined };
      const back = texts[made.shelf.notes.get(name) ?? ''];
      if (done && back === undefined) made.shelf.notes.delete(name);
      else if (done) made.shelf.notes.set(name, back ?? '');
      return new Promise(() => undefined);
    };
    await revert(made, [1], hash);
    await made.settled();
    delete made.shelf.hooks.beforeRevert;
    const after = await workshop({
      journal: made.journal,
      shelf: made.shelf,
      clock: new FakeClock({ nowMs: made.clock.nowMs() }),
      seed: 2,
    });
    await after.settled();
    return { before: made, after };
  }

  test.each([
    [1, false],
    [1, true],
    [2, false],
    [2, true],
    [3, false],
    [3, true],
  ])(
    '[CA-4] [CA-3] it goes on where it was interrupted: step %i, already done in the world: %s',
    async (step, done) => {
      const { after } = await crashed(step, done);
      expect(after.states()).toEqual({ 1: 'reverted', 2: 'reverted', 3: 'reverted', 4: 'applied' });
      expect(after.shelf.notes.has('a')).toBe(false);
      const begun = after.journal.rows(1, 1_000).filter(({ kind }) => kind === 'revert-begun');
      expect(begun, 'each step has one intent').toHaveLength(3);
      expect(after.journal.liveRecords('meta')).toEqual([]);
    },
  );

  test('[CA-4] a step whose world has moved meanwhile stops it in doubt, and the rest says so', async () => {
    const { made } = await written();
    const { hash } = await planOf(made, 1);
    made.shelf.hooks.beforeRevert = () => new Promise(() => undefined);
    await revert(made, [1], hash);
    await made.settled();
    delete made.shelf.hooks.beforeRevert;
    made.shelf.notes.set('a', 'edited while nothing ran');
    const clock = new FakeClock({ nowMs: made.clock.nowMs() });
    const after = await workshop({ journal: made.journal, shelf: made.shelf, clock, seed: 2 });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'revert-in-doubt', 4: 'applied' });
    expect(reasonOf(after, 1)).toMatch(/^Not reverted: #3 had to go back first/);
    expect(after.shelf.notes.get('a')).toBe('edited while nothing ran');
  });
});

test('[CA-3] what is asked for again while a refusal is being written waits for an intent of its own', async () => {
  const { made } = await written();
  const begun: string[] = [];
  let answer: RevertOutcome | undefined = { type: 'refused', why: 'Not now.', canRetry: true };
  made.shelf.hooks.beforeRevert = (name) => {
    begun.push(name);
    return Promise.resolve(answer);
  };
  const commit = made.journal.commit.bind(made.journal);
  const held: (() => void)[] = [];
  const rows: string[] = [];
  made.journal.commit = async (batch) => {
    if (batch.rows.some(({ kind }) => kind === 'revert-refused' || kind === 'revert-begun'))
      await new Promise<void>((go) => held.push(go));
    rows.push(...batch.rows.map(({ kind }) => kind));
    await commit(batch);
  };
  const first = revert(made, [4]);
  await until(() => held.length === 1);
  held.shift()?.();
  await first;
  await until(() => held.length === 1);
  answer = undefined;
  const second = revert(made, [4]);
  await until(() => held.length === 2);
  held.shift()?.();
  await until(() => rows.includes('revert-refused'));
  await idle();
  expect(begun, 'its own intent is not written yet').toEqual(['b']);
  held.shift()?.();
  expect(await second).toMatchObject([{ result: 'received' }]);
  await made.settled();
  expect(begun).toEqual(['b', 'b']);
  expect(made.states()).toMatchObject({ 4: 'reverted' });
});

/** Lets whatever can go on go on. */
const idle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => void setImmediate(resolve));
};

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !holds(); turn++) await new Promise((resolve) => void setImmediate(resolve));
  expect(holds()).toBe(true);
}
