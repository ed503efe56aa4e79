import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../../src/base/errors.ts';
import type { Journal, JournalBatch } from '../../../src/authority/ports.ts';
import { memoryJournal } from '../../../src/testing/index.ts';
import { get, put, workshop } from '../../support/workshop.ts';

/** A journal on a disk that can be full: what is not urgent is refused, and nothing of it is stored. */
interface Fillable {
  readonly journal: Journal;
  full: 'no' | 'reserve' | 'all';
}

function fillable(): Fillable {
  const inner = memoryJournal();
  const disk: Fillable = {
    full: 'no',
    journal: {
      health: inner.health,
      durable: inner.durable,
      head: () => inner.head(),
      rows: (from, limit) => inner.rows(from, limit),
      rowsOf: (seq, limit) => inner.rowsOf(seq, limit),
      record: (table, key) => inner.record(table, key),
      liveRecords: (table) => inner.liveRecords(table),
      recordsBefore: (table, order, limit) => inner.recordsBefore(table, order, limit),
      blob: (hash) => inner.blob(hash),
      close: () => inner.close(),
      commit: (batch: JournalBatch) => {
        const refused = disk.full === 'all' || (disk.full === 'reserve' && batch.urgent !== true);
        return refused ? Promise.reject(new CountersignError('full', 'The disk is full.')) : inner.commit(batch);
      },
    },
  };
  return disk;
}

describe('a full disk', () => {
  test('[F2] proposals are refused with the reason, the queue is served, and it goes on when there is space', async () => {
    const disk = fillable();
    const { agent, person, settled, states, idOf, alarms, shelf } = await workshop({ journal: disk.journal });
    const port = await agent();
    await put(port, 'a', 'one');
    disk.full = 'reserve';
    const answers = await Promise.all([put(port, 'b', 'two'), put(port, 'c', 'three')]);
    expect(answers).toMatchObject([
      { type: 'refused', code: 'full' },
      { type: 'refused', code: 'full' },
    ]);
    expect(states()).toEqual({ 1: 'pending' });
    expect((await get(port, 'a')).text).toBe('one');
    expect((await get(port, 'b')).text).toBe('');
    await expect(person.approve([idOf(1)])).rejects.toMatchObject({ code: 'full', effect: 'none' });
    expect(states()).toEqual({ 1: 'pending' });
    expect(alarms.length).toBeGreaterThan(0);
    disk.full = 'no';
    expect(await put(port, 'b', 'two')).toMatchObject({ type: 'simulated', seq: 2 });
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(shelf.effects).toEqual(['a=one', 'b=two']);
    expect(states()).toEqual({ 1: 'applied', 2: 'applied' });
  });

  test.each(['reserve', 'all'] as const)(
    '[F2] the outcome in flight is not lost when the disk fills to %s meanwhile',
    async (how) => {
      const disk = fillable();
      const { agent, person, settled, states, idOf, shelf } = await workshop({ journal: disk.journal });
      const port = await agent();
      await put(port, 'a', 'one');
      await put(port, 'b', 'two');
      shelf.hooks.beforeApply = async () => {
        disk.full = how;
        return undefined;
      };
      await person.approve([idOf(1), idOf(2)]);
      await settled();
      expect(shelf.effects, 'no intent is durable, so no second effect begins').toEqual(['a=one']);
      expect(states()).toEqual({ 1: how === 'reserve' ? 'applied' : 'applying', 2: 'approved' });
      disk.full = 'no';
      delete shelf.hooks.beforeApply;
      await put(port, 'c', 'three');
      await settled();
      expect(shelf.effects, 'what a full disk stopped goes on by itself').toEqual(['a=one', 'b=two']);
      await person.approve([idOf(3)]);
      await settled();
      expect(shelf.effects).toEqual(['a=one', 'b=two', 'c=three']);
      expect(states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'applied' });
    },
  );
});
