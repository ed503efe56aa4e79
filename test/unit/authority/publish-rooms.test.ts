import { describe, expect, test } from 'vitest';
import { canonicalBytes } from '../../../src/base/canonical-json.ts';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { LAB_PLACE, publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { expected } from '../../support/publish-expected.ts';
import { put } from '../../support/workshop.ts';

const YEAR_MS = 365 * 86_400_000;
const nameOf = (room: string): string => `q/${LAB_PLACE.home}/${LAB_PLACE.workspace}/${room}`;
const roomOf = (lab: PublishLab): string | null | undefined => lab.heads.at(-1)?.room;

async function withOne(): Promise<PublishLab> {
  const lab = await publishLab();
  await put(await lab.agent(), 'a', 'one');
  await lab.settled();
  return lab;
}

describe('the room of a ledger', () => {
  test('a restart goes on in it, under another client', async () => {
    const lab = await withOne();
    const again = await lab.crashed();
    await put(await again.agent(), 'b', 'two');
    await again.settled();
    expect([roomOf(again), again.outlet.closed]).toEqual(['1.1', []]);
    expect(again.actions()).toEqual(await expected(again));
    const [doc] = [...again.outlet.rooms].flatMap(([name, each]) => (name === nameOf('1.1') ? [each] : []));
    expect(doc?.store.clients.size).toBe(2);
  });

  test('a damaged one is given up for another, at most once a minute', async () => {
    const lab = await withOne();
    lab.world.clock.advance(PUBLISH_LIMITS.roomEveryMs);
    lab.authority.roomDamaged(nameOf('1.1'));
    await lab.settled();
    expect([roomOf(lab), lab.outlet.closed]).toEqual(['1.2', [nameOf('1.1')]]);
    lab.authority.roomDamaged(nameOf('1.2'));
    await put(await lab.agent(), 'b', 'two');
    await lab.settled();
    expect(roomOf(lab), 'whoever damages it gains one room a minute').toBe('1.2');
    lab.world.clock.advance(PUBLISH_LIMITS.roomEveryMs);
    await lab.settled();
    expect(roomOf(lab)).toBe('1.3');
    expect(lab.actions()).toEqual(await expected(lab));
    lab.authority.roomDamaged(nameOf('1.1'));
    await lab.settled();
    expect(roomOf(lab), 'what is said of a room that was left counts no more').toBe('1.3');
  });

  test('[F11] a wall clock that was set back keeps no damaged one for longer', async () => {
    const lab = await withOne();
    const nameOfTile = (): string => `a/${LAB_PLACE.home}/${LAB_PLACE.workspace}/${lab.heads.at(-1)?.tile ?? ''}`;
    lab.authority.roomDamaged(nameOfTile());
    await lab.settled();
    lab.world.clock.jump(-3 * YEAR_MS);
    lab.authority.roomDamaged(nameOf('1.1'));
    lab.authority.roomDamaged(nameOfTile());
    lab.world.clock.advance(PUBLISH_LIMITS.roomEveryMs);
    await lab.settled();
    expect([roomOf(lab), lab.heads.at(-1)?.tile]).toEqual(['1.2', '1.3']);
    expect(lab.actions()).toEqual(await expected(lab));
  });

  test('a damaged audit tile too', async () => {
    const lab = await withOne();
    const tile = (): string => lab.heads.at(-1)?.tile ?? '';
    const room = (): string => `a/${LAB_PLACE.home}/${LAB_PLACE.workspace}/${tile()}`;
    for (const expectedTile of ['1.2', '1.2', '1.2']) {
      lab.authority.roomDamaged(room());
      await lab.settled();
      expect(tile()).toBe(expectedTile);
    }
    lab.world.clock.advance(PUBLISH_LIMITS.roomEveryMs);
    await lab.settled();
    expect(tile()).toBe('1.3');
  });

  test('a stored one that cannot be read, or lacks an update, is given up for another', async () => {
    for (const damage of [new Uint8Array([1, 2, 3]), null]) {
      const lab = await withOne();
      const { journal } = lab.world;
      const [stored] = journal.recordsBefore('doc', Number.MAX_SAFE_INTEGER, 10).toReversed();
      if (stored === undefined) throw new Error('the ledger is stored');
      const puts = damage === null ? [] : [{ ...stored, value: damage }];
      const drops = damage === null ? [{ table: stored.table, key: stored.key }] : [];
      await journal.commit({ rows: [], puts, drops, blobs: [] });
      const again = await lab.crashed();
      await again.settled();
      expect(roomOf(again)).toBe('1.2');
      expect(again.actions()).toEqual(await expected(again));
      const third = await again.crashed();
      await third.settled();
      expect(roomOf(third)).toBe('1.2');
      expect(third.actions()).toHaveLength(1);
    }
  });

  test('one that another version wrote is left as it is, and another begins', async () => {
    const lab = await withOne();
    const { journal } = lab.world;
    const stored = journal.record('meta', 'room');
    if (stored === undefined) throw new Error('the room is stored');
    const older = { fence: 1, n: 1, keyGen: 1, schema: 0 };
    await journal.commit({ rows: [], puts: [{ ...stored, value: canonicalBytes(older) }], drops: [], blobs: [] });
    const again = await lab.crashed();
    await again.settled();
    expect(roomOf(again)).toBe('1.2');
    expect(again.actions()).toEqual(await expected(again));
  });

  test('a new fence begins rooms and tiles anew', async () => {
    const lab = await withOne();
    const adopted = await lab.crashed({ fence: 2 });
    await adopted.settled();
    expect([roomOf(adopted), adopted.heads.at(-1)?.tile]).toEqual(['2.1', '2.1']);
    expect(adopted.actions()).toEqual(await expected(adopted));
  });

  test('stores what it publishes as updates, and whole when those grow', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    const stored = () => lab.world.journal.recordsBefore('doc', Number.MAX_SAFE_INTEGER, 10_000);
    let most = 0;
    for (let n = 0; n < 60; n++) {
      await Promise.all(Array.from({ length: 8 }, (_, i) => put(port, `note ${n}/${i}`, 'x')));
      await lab.settled();
      most = Math.max(most, stored().length);
    }
    expect(most).toBeGreaterThan(20);
    expect(stored().length).toBeLessThan(most);
    const again = await lab.crashed();
    await again.settled();
    expect([roomOf(again), again.actions().length]).toEqual(['1.1', 480]);
  }, 60_000);
});
