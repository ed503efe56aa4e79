import { describe, expect, test } from 'vitest';
import { CountersignError } from '../../../src/base/errors.ts';
import { Gathering } from '../../../sync-server/storage/gathering.ts';
import type { Batch } from '../../../sync-server/storage/sqlite-tables.ts';

/** A disk that is done when it is told to be. */
class SlowDisk {
  readonly batches: Batch[] = [];
  readonly #waiting: { readonly done: () => void; readonly fail: (why: unknown) => void }[] = [];

  store(batch: Batch): Promise<void> {
    this.batches.push(batch);
    return new Promise((done, fail) => this.#waiting.push({ done, fail }));
  }

  async done(): Promise<void> {
    this.#waiting.shift()?.done();
    await turn();
  }

  async fail(why: unknown): Promise<void> {
    this.#waiting.shift()?.fail(why);
    await turn();
  }
}

const turn = async (): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
};
const one = (gathering: Gathering, byte: number): Promise<void> =>
  gathering.append(`r${byte}`, 'o', Uint8Array.of(byte));

describe('group commit', () => {
  test('one turn’s changes go together, and what comes while the disk works goes in the next', async () => {
    const disk = new SlowDisk();
    const gathering = new Gathering((batch) => disk.store(batch));
    const first = [one(gathering, 1), one(gathering, 2)];
    expect(first[0]).toBe(first[1]);
    await turn();
    const later = [one(gathering, 3), one(gathering, 4)];
    expect(later[0]).not.toBe(first[0]);
    expect(disk.batches).toHaveLength(1);
    await disk.done();
    await Promise.all(first);
    expect(disk.batches.map(({ bytes, ends, rooms }) => [[...bytes], ends, rooms])).toEqual([
      [
        [1, 2],
        [1, 2],
        ['r1', 'r2'],
      ],
      [
        [3, 4],
        [1, 2],
        ['r3', 'r4'],
      ],
    ]);
    await disk.done();
    await Promise.all(later);
  });

  test('what is asked in between keeps its place', async () => {
    const disk = new SlowDisk();
    const gathering = new Gathering((batch) => disk.store(batch));
    const order: string[] = [];
    void one(gathering, 1).then(() => order.push('1'));
    void gathering.inTurn(async () => void order.push('read'));
    void one(gathering, 2).then(() => order.push('2'));
    await turn();
    expect(order).toEqual([]);
    await disk.done();
    expect(order).toEqual(['1', 'read']);
    await disk.done();
    expect(order).toEqual(['1', 'read', '2']);
  });

  test('after a commit failed, nothing that was handed over before anybody knew is stored', async () => {
    const disk = new SlowDisk();
    const gathering = new Gathering((batch) => disk.store(batch));
    const full = new CountersignError('full', 'no room');
    const first = one(gathering, 1);
    await turn();
    const second = one(gathering, 2);
    const outcomes = Promise.allSettled([first, second]);
    await disk.fail(full);
    expect(await outcomes).toEqual([
      { status: 'rejected', reason: full },
      { status: 'rejected', reason: full },
    ]);
    const third = one(gathering, 3);
    await turn();
    await disk.done();
    await third;
    expect(disk.batches.map(({ rooms }) => rooms)).toEqual([['r1'], ['r3']]);
  });
});
