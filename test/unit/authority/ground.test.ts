import fs from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GROUND_LIMITS } from '../../../src/authority/ground.ts';
import { changedAtOnce } from '../../../src/authority/ground-burst.ts';
import type { Surface } from '../../../src/authority/ports.ts';
import type { AgentPort } from '../../../src/model/agent-port.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import { filesPack } from '../../../src/surfaces/files/index.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { get, workshop, type Workshop } from '../../support/workshop.ts';

interface Project extends Workshop {
  readonly root: string;
  put(path: string, text: string): void;
  read(path: string): string;
  checkout(branch: string): void;
  ids(...seqs: readonly number[]): readonly ActionId[];
  /** Lets the next look come due, and waits for it. */
  lookAgain(): Promise<void>;
}

/** A folder with files, on the branch main unless it is in no repository. */
async function project(
  files: number,
  options: { readonly git?: boolean; readonly at?: string; readonly onLooked?: () => void } = {},
): Promise<Project> {
  const root = options.at ?? (await tempDir());
  const put = (path: string, text: string): void => fs.writeFileSync(join(root, path), text);
  const checkout = (branch: string): void => put('.git/HEAD', `ref: refs/heads/${branch}\n`);
  if (options.at === undefined) {
    for (let n = 1; n <= files; n++) put(`f${n}.txt`, `one\ntwo\nthree\n`);
    if (options.git !== false) fs.mkdirSync(join(root, '.git'));
    if (options.git !== false) checkout('main');
  }
  const pack = filesPack({ root });
  const surfaces = pack.surfaces.map((surface): Surface => ({
    ...surface,
    look: async (context) => {
      const found = await surface.look?.(context);
      options.onLooked?.();
      return found ?? { type: 'ready' };
    },
  }));
  const shop = await workshop({ packs: [{ ...pack, surfaces }] });
  return withFolder(shop, root);
}

function withFolder(shop: Workshop, root: string): Project {
  const put = (path: string, text: string): void => fs.writeFileSync(join(root, path), text);
  return {
    ...shop,
    root,
    put,
    read: (path) => fs.readFileSync(join(root, path), 'utf8'),
    checkout: (branch) => put('.git/HEAD', `ref: refs/heads/${branch}\n`),
    ids: (...seqs) => seqs.map((seq) => shop.idOf(seq)),
    lookAgain: async () => {
      shop.clock.advance(GROUND_LIMITS.everyMs);
      await shop.settled();
      await shop.settled();
    },
  };
}

const edit = (port: AgentPort, n: number, to = 'TWO') =>
  port.call({
    tool: 'edit_file',
    arguments: { path: `f${n}.txt`, edits: [{ oldText: 'two', newText: to }] },
    callId: null,
  });

const gates = ({ authority }: Workshop) => authority.queue({ all: false }).map(({ gate }) => gate?.code ?? null);
const all = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

describe('another branch under pending work', () => {
  test('[GM-4] pauses the lane with one card, and opens by itself when the person switches back', async () => {
    const room = await project(2);
    const port = await room.agent();
    await edit(port, 1);
    await edit(port, 2);
    room.checkout('topic');
    await room.person.approve(room.ids(1, 2));
    await room.settled();
    expect(room.states()).toEqual({ 1: 'approved', 2: 'approved' });
    expect(gates(room)).toEqual(['ground-moved', 'ground-moved']);
    const why = 'This was made on main, and your files are on topic now.';
    expect(room.authority.status().moved).toEqual({ why, actions: room.ids(1, 2) });
    expect(room.alarms).toEqual([`Nothing is applied: ${why}`]);
    room.checkout('main');
    await room.lookAgain();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect(room.authority.status().moved).toBeNull();
    expect(room.read('f1.txt')).toBe('one\nTWO\nthree\n');
  });

  test('[DR-6] [GM-5] that comes while an action is looked over is seen before its intent', async () => {
    let looked = (): void => undefined;
    const room = await project(1, { onLooked: () => looked() });
    await edit(await room.agent(), 1);
    looked = () => room.checkout('topic');
    await room.person.approve(room.ids(1));
    await room.settled();
    expect(room.states()).toEqual({ 1: 'approved' });
    expect(gates(room)).toEqual(['ground-moved']);
    expect(room.read('f1.txt')).toBe('one\ntwo\nthree\n');
  });

  test('[GM-4] is seen without anything being decided, and told on every card', async () => {
    const room = await project(1);
    await edit(await room.agent(), 1);
    room.checkout('topic');
    await room.lookAgain();
    expect(room.authority.status().moved?.actions).toEqual(room.ids(1));
    const [row] = room.authority.queue({ all: false });
    expect(row).toMatchObject({ state: 'pending', why: 'This was made on main, and your files are on topic now.' });
  });

  test('[GM-4] [GM-5] merge all makes everything anew here, and what was approved there is asked again', async () => {
    const room = await project(2);
    const port = await room.agent();
    await edit(port, 1);
    await edit(port, 2);
    await room.person.approve(room.ids(2));
    await room.settled();
    const digests = new Set(room.authority.queue({ all: false }).map(({ digest }) => digest));
    room.checkout('topic');
    room.put('f1.txt', 'zero\none\ntwo\nthree\n');
    await room.lookAgain();
    await room.person.decide({ kind: 'reissue', ids: room.ids(1, 2), body: { mode: 'merge' } });
    await room.settled();
    const rows = room.authority.queue({ all: false });
    expect(rows.map(({ attention, state }) => [state, attention?.kind])).toEqual([
      ['pending', 'reissued'],
      ['pending', 'reissued'],
    ]);
    expect(rows.map(({ digest }) => digest).filter((digest) => digests.has(digest))).toEqual([]);
    expect(room.authority.status().moved).toBeNull();
    await room.person.approve(room.ids(1, 2));
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect([room.read('f1.txt'), room.read('f2.txt')]).toEqual(['zero\none\nTWO\nthree\n', 'one\nTWO\nthree\n']);
    const { notices } = await get(port, 'x');
    expect(notices, 'only what reads otherwise now is told').toEqual([expect.stringContaining('"f1.txt"')]);
  });

  test('[GM-4] hold all opens the lane for what is made here', async () => {
    const room = await project(2);
    const port = await room.agent();
    await edit(port, 1);
    room.checkout('topic');
    await room.lookAgain();
    await edit(port, 2);
    await room.person.approve(room.ids(2));
    await room.settled();
    expect(room.states(), 'nothing of the lane begins').toEqual({ 1: 'pending', 2: 'approved' });
    await room.person.decide({ kind: 'hold', ids: room.ids(1) });
    await room.settled();
    expect(room.states()).toEqual({ 1: 'held', 2: 'applied' });
  });

  test('[GM-4] what cannot be merged is one conflict, and the others go on', async () => {
    const room = await project(2);
    const port = await room.agent();
    await edit(port, 1);
    await edit(port, 2);
    room.checkout('topic');
    room.put('f2.txt', 'one\n2\nthree\n');
    await room.lookAgain();
    await room.person.decide({ kind: 'reissue', ids: room.ids(1, 2), body: { mode: 'merge' } });
    await room.person.approve(room.ids(1));
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(room.authority.queue({ all: false })[0]?.attention?.kind).toBe('conflict');
  });

  test('[GM-4] one session’s work does not stop another’s, and is still one card', async () => {
    const room = await project(3);
    await edit(await room.agent('one'), 1);
    await edit(await room.agent('two'), 2);
    room.checkout('topic');
    await room.lookAgain();
    await edit(await room.agent('three'), 3);
    await room.person.approve(room.ids(1, 2, 3));
    await room.settled();
    expect(room.states()).toEqual({ 1: 'approved', 2: 'approved', 3: 'applied' });
    expect(room.authority.status().moved?.actions).toEqual(room.ids(1, 2));
    expect(room.alarms).toHaveLength(1);
  });

  test('[GM-4] a switch while nothing ran is met at the start, before anything is applied', async () => {
    const room = await project(1);
    await edit(await room.agent(), 1);
    room.checkout('topic');
    await room.person.approve(room.ids(1));
    await room.settled();
    const after = withFolder(await room.reopen(), room.root);
    await after.settled();
    expect(after.states()).toEqual({ 1: 'approved' });
    after.checkout('main');
    expect(after.authority.status().moved, 'whoever asks looks').toBeNull();
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied' });
  });

  test('[GM-4] outside of git, and where no action is open, there is nothing to look at', async () => {
    const room = await project(1, { git: false });
    const port = await room.agent();
    await edit(port, 1);
    await room.lookAgain();
    await room.person.approve(room.ids(1));
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied' });
    expect(room.authority.status().moved).toBeNull();
  });
});

describe('many files at once under pending work', () => {
  test.each([
    [21, 'ground-moved'],
    [20, null],
  ])('[GM-4] %i files that changed within two seconds: the gate is %s', async (count, gate) => {
    const room = await project(count, { git: false });
    const port = await room.agent();
    for (const n of all(count)) await edit(port, n);
    await room.lookAgain();
    for (const n of all(count)) room.put(`f${n}.txt`, 'one\ntwo\nthree\nfour\n');
    await room.lookAgain();
    expect(room.authority.status().moved?.actions.length ?? 0).toBe(gate === null ? 0 : count);
    await room.person.approve(room.ids(1));
    await room.settled();
    const [first] = room.authority.queue({ all: false });
    expect(first?.gate?.code ?? null).toBe(gate);
    expect(first?.state, 'a few files are met one by one').toBe(gate === null ? 'pending' : 'approved');
  });

  test('[GM-4] is met by the first that is looked at, before any of it is made anew', async () => {
    const room = await project(25, { git: false });
    const port = await room.agent();
    for (const n of all(25)) await edit(port, n);
    for (const n of all(25)) room.put(`f${n}.txt`, 'zero\none\ntwo\nthree\n');
    await room.person.approve(room.ids(...all(25)));
    await room.settled();
    expect(new Set(Object.values(room.states()))).toEqual(new Set(['approved']));
    expect(room.authority.status().moved).toMatchObject({ why: '25 of the files changed at once.' });
    await room.person.decide({ kind: 'reissue', ids: room.ids(...all(25)), body: { mode: 'merge' } });
    await room.settled();
    expect(room.authority.status().moved).toBeNull();
    await room.person.approve(room.ids(...all(25)));
    await room.settled();
    expect(new Set(Object.values(room.states()))).toEqual(new Set(['applied']));
    expect(room.read('f25.txt')).toBe('zero\none\nTWO\nthree\n');
  });

  test('[GM-4] files that are as they were again open it by themselves', async () => {
    const room = await project(22, { git: false });
    const port = await room.agent();
    for (const n of all(22)) await edit(port, n);
    for (const n of all(22)) room.put(`f${n}.txt`, 'else\n');
    await room.person.approve(room.ids(...all(22)));
    await room.settled();
    expect(room.authority.status().moved?.actions).toHaveLength(22);
    for (const n of all(22)) room.put(`f${n}.txt`, 'one\ntwo\nthree\n');
    await room.lookAgain();
    expect(new Set(Object.values(room.states()))).toEqual(new Set(['applied']));
  });

  test('[GM-4] what Countersign itself applies is no move', async () => {
    const room = await project(30, { git: false });
    const port = await room.agent();
    for (const n of all(30)) await edit(port, n);
    for (const n of all(30))
      await port.call({
        tool: 'edit_file',
        arguments: { path: `f${n}.txt`, edits: [{ oldText: 'TWO', newText: '2' }] },
        callId: null,
      });
    await room.person.approve(room.ids(...all(30)));
    await room.settled();
    await room.lookAgain();
    expect(room.authority.status().moved).toBeNull();
    await room.person.approve(room.ids(...all(30).map((n) => n + 30)));
    await room.settled();
    expect(new Set(Object.values(room.states()))).toEqual(new Set(['applied']));
  });

  test('[GM-4] more than twenty paths within two seconds, wherever in time that is', () => {
    const at = (n: number, atMs: number) => ({ id: `a${n}` as ActionId, paths: [`file:${n}`], atMs });
    const spread = all(40).map((n) => at(n, n * 100));
    expect(changedAtOnce(spread).size, 'twenty-one within any two seconds').toBe(40);
    expect(changedAtOnce(all(40).map((n) => at(n, n * 101))).size).toBe(0);
    const late = [...all(15).map((n) => at(n, 0)), ...all(21).map((n) => at(n + 100, 90_000))];
    expect(changedAtOnce(late).size).toBe(21);
    expect(changedAtOnce(all(30).map((n) => ({ ...at(n, 0), paths: ['file:same'] }))).size).toBe(0);
  });

  test('[GM-4] what changed at once is what some two seconds hold more than twenty paths of, counted the slow way', () => {
    const one = fc.record({ n: fc.nat(60), atMs: fc.nat(6_000) });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 90 }), (made) => {
        const changed = made.map(({ atMs, n }, at) => ({ id: `a${at}` as ActionId, paths: [`file:${n}`], atMs }));
        const slow = new Set<ActionId>();
        for (const { atMs: from } of changed) {
          const within = changed.filter(({ atMs }) => atMs >= from && atMs - from <= 2_000);
          if (new Set(within.flatMap(({ paths }) => paths)).size > 20) for (const { id } of within) slow.add(id);
        }
        expect(changedAtOnce(changed)).toEqual(slow);
      }),
    );
  });
});
