import { describe, expect, test } from 'vitest';
import { parseCanonical } from '../../src/base/canonical-json.ts';
import { openSqliteJournal } from '../../src/journal/sqlite/index.ts';
import { foldOf, recordsOf } from '../support/golden-fold.ts';
import { shelf } from '../support/shelf-surface.ts';
import { tempDir } from '../support/temp-dir.ts';
import { get, put, workshop, type Workshop } from '../support/workshop.ts';

/** A home that dies: the journal is opened again while the first one is simply never used any more. */
async function openAt(dir: string, kept: { shelf?: Workshop['shelf']; seed: number }): Promise<Workshop> {
  return workshop({ ...kept, journal: openSqliteJournal({ dir }), shelf: kept.shelf ?? shelf() });
}

describe('after a crash', () => {
  test('[F1] the same queue, decisions, edges, notices and overlay come back', async () => {
    const dir = await tempDir();
    const one = await openAt(dir, { seed: 1 });
    const port = await one.agent('mine');
    await put(port, 'a', 'one');
    await get(port, 'a');
    await put(port, 'b', 'two');
    await put(port, 'b', 'three');
    await put(port, 'c', 'four');
    await one.person.decide({ kind: 'hold', ids: [one.idOf(2)] });
    await one.person.reject([one.idOf(4)], 'no');
    const before = one.authority.queue({ all: true });

    const two = await openAt(dir, { shelf: one.shelf, seed: 2 });
    expect(two.authority.queue({ all: true })).toEqual(before);
    const again = await two.agent('mine');
    const read = await get(again, 'b');
    expect(read.text).toBe('three');
    expect(read.notices).toHaveLength(1);
    expect((await get(again, 'b')).notices).toEqual([]);
    expect(await put(again, 'c', 'four')).toMatchObject({ type: 'refused', code: 'rejected' });
    expect(await put(again, 'd', 'five')).toMatchObject({ seq: 5 });
  });

  test('[EF-7] [LC-2] an effect whose intent was durable is settled by looking, never repeated', async () => {
    const dir = await tempDir();
    const one = await openAt(dir, { seed: 1 });
    const port = await one.agent();
    for (const name of ['done', 'base', 'moved']) await put(await one.agent(name), name, 'new');
    void port;
    // The effects hang: two of them before they change anything, one after.
    one.shelf.hooks.beforeApply = (name) => {
      if (name === 'done') one.shelf.notes.set('done', 'new');
      return new Promise(() => undefined);
    };
    await one.person.approve([1, 2, 3].map((seq) => one.idOf(seq)));
    await one.settled();
    expect(one.states()).toEqual({ 1: 'applying', 2: 'applying', 3: 'applying' });
    one.shelf.notes.set('moved', 'by somebody');
    delete one.shelf.hooks.beforeApply;

    const two = await openAt(dir, { shelf: one.shelf, seed: 2 });
    await two.settled();
    expect(two.states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'in-doubt' });
    expect(two.shelf.effects, 'the one that had not happened is done once, the other not again').toEqual(['base=new']);
    expect(two.shelf.notes.get('moved')).toBe('by somebody');
  });

  test('[LC-4] the records are a fold of the events, and every event has its audit entry', async () => {
    const dir = await tempDir();
    const { agent, person, settled, shelf: world, idOf, journal } = await openAt(dir, { seed: 3 });
    const port = await agent();
    world.notes.set('c', 'old');
    for (const name of ['a', 'b', 'c', 'a', 'd']) await put(port, name, `${name}!`);
    await put(port, 'a', 'more');
    await person.decide({ kind: 'hold', ids: [idOf(2)] });
    world.notes.set('c', '+changed ');
    await person.approve([idOf(1), idOf(3)]);
    await settled();
    await person.decide({ kind: 'release', ids: [idOf(2)] });
    await person.reject([idOf(4)]);
    await settled();
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect(foldOf(journal)).toEqual(recordsOf(journal));
    for (const row of journal.rows(1, 10_000)) {
      expect(parseCanonical(row.audit)).toMatchObject({ seq: row.seq, kind: row.kind });
    }
  });
});
