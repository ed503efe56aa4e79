import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/base/assert.ts';
import { equalBytes, utf8 } from '../../src/base/bytes.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { Journal } from '../../src/authority/ports.ts';
import { batchOf, blobOf, endOf, recordOf, rowsAfter, START, stepAfter, type End } from './journal-rows.ts';

/** What every journal does, whatever it keeps its bytes in. `open` gives an empty one. */
export function journalContract(name: string, open: () => Promise<Journal>): void {
  describe(`journal contract: ${name}`, () => {
    chainTests(open);
    recordTests(open);
    lifeTests(open);
  });
}

function chainTests(open: () => Promise<Journal>): void {
  test('begins empty and sound', async () => {
    const journal = await open();
    expect(journal.health).toEqual({ state: 'sound' });
    expect(journal.head()).toEqual(START);
    expect(journal.rows(1, 10)).toEqual([]);
    expect(journal.liveRecords('action')).toEqual([]);
    await journal.close();
  });

  test('gives back rows as they were committed, from any row on, up to a limit', async () => {
    const journal = await open();
    const rows = rowsAfter(START, [
      { kind: 'opened' },
      { kind: 'proposed', actionSeq: 1 },
      { kind: 'intent-recorded', actionSeq: 1, attempt: 1 },
      { kind: 'applied', actionSeq: 1, attempt: 1, bytes: 20_000 },
    ]);
    await journal.commit(batchOf({ rows: rows.slice(0, 1) }));
    await journal.commit(batchOf({ rows: rows.slice(1) }));
    expect(journal.rows(1, 10)).toEqual(rows);
    expect(journal.rows(2, 2)).toEqual(rows.slice(1, 3));
    expect(journal.rows(0, 2)).toEqual(rows.slice(0, 2));
    expect(journal.rows(5, 10)).toEqual([]);
    expect(journal.rows(1, 0)).toEqual([]);
    expect(journal.head()).toEqual({ seq: 4, root: rows[3]?.root });
    await journal.close();
  });

  test('gives the newest rows of one action, oldest first', async () => {
    const journal = await open();
    const rows = rowsAfter(
      START,
      [1, 2, 1, 0, 1, 2, 1].map((actionSeq) => ({ actionSeq })),
    );
    await journal.commit(batchOf({ rows }));
    const ofOne = rows.filter((row) => row.actionSeq === 1);
    expect(journal.rowsOf(1, 100)).toEqual(ofOne);
    expect(journal.rowsOf(1, 3)).toEqual(ofOne.slice(1));
    expect(journal.rowsOf(1, 0)).toEqual([]);
    expect(journal.rowsOf(3, 10)).toEqual([]);
    expect(journal.rowsOf(0, 10)).toEqual([]);
    await journal.close();
  });

  test('takes commits that do not wait for each other, in the order they came', async () => {
    const journal = await open();
    const batches = chainOf(64);
    await Promise.all(batches.map((batch) => journal.commit(batch)));
    expect(journal.rows(1, 100)).toEqual(batches.flatMap((batch) => batch.rows));
    await journal.close();
  });

  test('refuses as a bug what does not continue the chain, and goes on as if it had not been asked', async () => {
    const journal = await open();
    const first = stepAfter(START);
    const end = endOf(first, START);
    await journal.commit(first);
    const [good] = rowsAfter(end, [{}]);
    if (good === undefined) throw new Error('one row was made');
    const bad = [
      { ...good, seq: 3 },
      { ...good, seq: 1 },
      { ...good, root: good.eventHash },
      { ...good, event: utf8('{}') },
      { ...good, audit: utf8('{}') },
    ];
    for (const row of bad) await expect(journal.commit(batchOf({ rows: [row] }))).rejects.toThrow(InvariantError);
    const lying = { ...blobOf(utf8('a')), bytes: utf8('b') };
    await expect(journal.commit(batchOf({ blobs: [lying] }))).rejects.toThrow(InvariantError);
    await journal.commit(batchOf({ rows: [good] }));
    expect(journal.head().seq).toBe(2);
    await journal.close();
  });
}

function recordTests(open: () => Promise<Journal>): void {
  test('puts, replaces and drops records; live ones come oldest first', async () => {
    const journal = await open();
    const [a, b] = [recordOf('a', { order: 2 }), recordOf('b', { order: 1 })];
    const other = recordOf('a', { table: 'session', order: 7 });
    await journal.commit(batchOf({ puts: [a, b, other, recordOf('c', { order: 3, live: false })] }));
    expect(journal.liveRecords('action')).toEqual([b, a]);
    expect(journal.record('session', 'a')).toEqual(other);
    const settled = recordOf('a', { order: 9, live: false, value: utf8('{"new":true}') });
    await journal.commit(
      batchOf({
        puts: [settled],
        drops: [
          { table: 'action', key: 'b' },
          { table: 'action', key: 'never-there' },
        ],
      }),
    );
    expect(journal.record('action', 'a')).toEqual(settled);
    expect(journal.record('action', 'b')).toBeUndefined();
    expect(journal.record('session', 'a')).toEqual(other);
    expect(journal.liveRecords('action')).toEqual([]);
    await journal.close();
  });

  test('drops come before puts in one batch, and the last put of a key counts', async () => {
    const journal = await open();
    await journal.commit(batchOf({ puts: [recordOf('a')] }));
    const [first, last] = [recordOf('a', { order: 5 }), recordOf('a', { order: 6, live: false })];
    await journal.commit(batchOf({ puts: [first, last], drops: [{ table: 'action', key: 'a' }] }));
    expect(journal.record('action', 'a')).toEqual(last);
    await journal.close();
  });

  test('pages records newest first, live or not, before an order', async () => {
    const journal = await open();
    const records = Array.from({ length: 25 }, (_, n) => recordOf(`k${n}`, { order: n, live: n % 3 === 0 }));
    await journal.commit(batchOf({ puts: records }));
    const newestFirst = records.toReversed();
    expect(journal.recordsBefore('action', Infinity, 10)).toEqual(newestFirst.slice(0, 10));
    expect(journal.recordsBefore('action', 15, 10)).toEqual(newestFirst.slice(10, 20));
    expect(journal.recordsBefore('action', 5, 10)).toEqual(newestFirst.slice(20));
    expect(journal.recordsBefore('notice', 5, 10)).toEqual([]);
    await journal.close();
  });

  test('keeps the updates of documents as they are, in the order of their numbers', async () => {
    const journal = await open();
    const bytes = [Uint8Array.of(), Uint8Array.of(0, 255, 1), new Uint8Array(200_000).fill(9)];
    const updates = bytes.map((value, n) => recordOf(`q/${n}`, { table: 'doc', order: 2 - n, value }));
    await journal.commit(batchOf({ puts: updates }));
    expect(journal.liveRecords('doc').map(({ value }) => [...value])).toEqual(
      bytes.toReversed().map((one) => [...one]),
    );
    await journal.commit(
      batchOf({ puts: updates.slice(0, 1), drops: updates.map(({ table, key }) => ({ table, key })) }),
    );
    expect(journal.liveRecords('doc').map(({ key }) => key)).toEqual(['q/0']);
    await journal.close();
  });

  test('keeps blobs of any bytes under their hash, as often as they are put', async () => {
    const journal = await open();
    const blobs = [new Uint8Array(0), Uint8Array.of(0, 255, 10, 13), new Uint8Array(300_000).fill(7)].map(blobOf);
    await journal.commit(batchOf({ blobs }));
    await journal.commit(batchOf({ blobs }));
    for (const { hash, bytes } of blobs) {
      const found = journal.blob(hash);
      expect(found !== undefined && equalBytes(found, bytes), hash).toBe(true);
    }
    // reason: a well-formed digest of nothing that was put
    expect(journal.blob('0'.repeat(64) as Digest)).toBeUndefined();
    await journal.close();
  });
}

function lifeTests(open: () => Promise<Journal>): void {
  test('after close every call answers closed, and a second close is quiet', async () => {
    const journal = await open();
    await journal.close();
    await journal.close();
    const closed = expect.objectContaining({ code: 'closed', effect: 'none' });
    await expect(journal.commit(stepAfter(START))).rejects.toEqual(closed);
    const calls = [
      () => journal.head(),
      () => journal.rows(1, 1),
      () => journal.rowsOf(1, 1),
      () => journal.record('action', 'a'),
      () => journal.liveRecords('action'),
      () => journal.recordsBefore('action', 1, 1),
      () => journal.blob(blobOf(utf8('a')).hash),
    ];
    for (const call of calls) expect(call).toThrow(closed);
  });

  test('close keeps what was asked before it', async () => {
    const journal = await open();
    const asked = journal.commit(stepAfter(START));
    await journal.close();
    await expect(asked).resolves.toBeUndefined();
  });
}

/** Batches of one row each, chained. */
function chainOf(count: number, start: End = START): readonly ReturnType<typeof stepAfter>[] {
  const batches: ReturnType<typeof stepAfter>[] = [];
  let end = start;
  for (let n = 0; n < count; n += 1) {
    const batch = stepAfter(end, { actionSeq: n + 1 });
    batches.push(batch);
    end = endOf(batch, end);
  }
  return batches;
}
