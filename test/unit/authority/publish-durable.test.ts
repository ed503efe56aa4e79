import * as Y from 'yjs';
import { describe, expect, test } from 'vitest';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { CountersignError } from '../../../src/base/errors.ts';
import type { JournalBatch } from '../../../src/authority/ports.ts';
import { FakeClock, memoryJournal } from '../../../src/testing/index.ts';
import { overJournal } from '../../support/over-journal.ts';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { expected } from '../../support/publish-expected.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { put } from '../../support/workshop.ts';

const turns = async (count = 10): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => void setImmediate(resolve));
};

/** The states a device can read in what was handed over so far. */
const shown = (lab: PublishLab): readonly string[] => lab.actions().map(({ seq, state }) => `#${seq} ${state}`);

describe('publishing after a failure', () => {
  test('hands over nothing before what it speaks of, and its own update, are durable', async () => {
    const inner = memoryJournal();
    const held: (() => void)[] = [];
    let holding = false;
    const journal = overJournal(inner, async (batch, store) => {
      if (holding) await new Promise<void>((resolve) => held.push(resolve));
      await store(batch);
    });
    const lab = await publishLab({ journal });
    const port = await lab.agent();
    await lab.settled();
    let handed = 0;
    lab.outlet.onHanded = () => (handed += 1);
    holding = true;
    const answer = put(port, 'a', 'one');
    await turns();
    lab.world.clock.advance(1_000);
    await turns();
    expect([held.length, handed], 'the proposal waits for the disk').toEqual([1, 0]);
    held.shift()?.();
    await answer;
    await turns();
    expect([held.length, handed], 'it is durable and answered, its update is not').toEqual([1, 0]);
    holding = false;
    held.shift()?.();
    await lab.settled();
    expect(shown(lab)).toEqual(['#1 pending']);
  });

  test('[F1] what came and settled before it was told is told, also after two ends in a row', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    const many = PUBLISH_LIMITS.recordsPerUpdate + 6;
    for (let n = 1; n <= many; n++) await put(port, `n${n}`, 'text');
    await lab.settled();
    // Within one pause of the publication both of these come, and the process ends.
    await put(port, 'told', 'text');
    await turns();
    await put(port, 'untold', 'text');
    await lab.phone.decide({ kind: 'reject', ids: [lab.idOf(many + 2)] });
    expect(lab.actions()).toHaveLength(many + 1);

    const once = await lab.crashed();
    await turns(20);
    // It has looked at as many records as go into one update, and ends again.
    const twice = await once.crashed();
    await twice.settled();
    expect(twice.actions()).toHaveLength(many + 2);
    expect(twice.actions().at(-1)).toMatchObject({ target: 'untold', state: 'rejected' });
  });

  test('[F2] what a full disk refused is not shown, and what was there is shown on', async () => {
    const inner = memoryJournal();
    let full = false;
    const journal = overJournal(inner, (batch, store) =>
      full ? Promise.reject(new CountersignError('full', 'The disk is full.')) : store(batch),
    );
    const lab = await publishLab({ journal });
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await lab.settled();
    full = true;
    expect(await put(port, 'b', 'two')).toMatchObject({ type: 'refused', code: 'full' });
    await expect(lab.phone.approve([lab.idOf(1)])).rejects.toMatchObject({ code: 'full' });
    await lab.settled();
    expect(shown(lab)).toEqual(['#1 pending']);
    const room = lab.heads.at(-1)?.room;
    full = false;
    await put(port, 'c', 'three');
    lab.world.clock.advance(10_000);
    await lab.settled();
    expect(shown(lab)).toEqual(['#1 pending', '#2 pending']);
    expect(lab.heads.at(-1)?.room, 'a full disk is no reason for another room').toBe(room);
    expect(lab.actions()).toEqual(await expected(lab));
  });

  test('[F2] only the publication meets the full disk: it comes when there is space, and nothing is lost', async () => {
    const inner = memoryJournal();
    let full = false;
    const isPublication = (batch: JournalBatch): boolean =>
      batch.rows.length === 0 && batch.puts.some(({ table }) => table === 'doc');
    const journal = overJournal(inner, (batch, store) =>
      full && isPublication(batch) ? Promise.reject(new CountersignError('full', 'The disk is full.')) : store(batch),
    );
    const lab = await publishLab({ journal });
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await lab.settled();
    full = true;
    await put(port, 'b', 'two');
    await lab.settled();
    expect(shown(lab)).toEqual(['#1 pending']);
    full = false;
    lab.world.clock.advance(10_000);
    await lab.settled();
    expect(shown(lab)).toEqual(['#1 pending', '#2 pending']);
    const clients = [...lab.outlet.rooms.values()][0]?.store.clients.size ?? 0;
    expect(clients, 'what was never stored is written anew by another client').toBe(2);
  });

  test('a start that fails leaves nothing behind that writes or beats', async () => {
    const clock = new FakeClock();
    const inner = memoryJournal();
    await expect(
      publishLab({ journal: inner, clock, beforeDrain: () => Promise.reject(new Error('no inbox')) }),
    ).rejects.toThrow('no inbox');
    await inner.close();
    clock.advance(100_000);
    await turns();
  });

  test('[F2] an end on a full disk ends all the same', async () => {
    const inner = memoryJournal();
    let full = false;
    const journal = overJournal(inner, (batch, store) =>
      full ? Promise.reject(new CountersignError('full', 'The disk is full.')) : store(batch),
    );
    const lab = await publishLab({ journal });
    await put(await lab.agent(), 'a', 'one');
    await lab.settled();
    full = true;
    await expect(lab.authority.stop()).rejects.toMatchObject({ code: 'full' });
    const { length } = lab.outlet.beats;
    lab.world.clock.advance(100_000);
    await turns();
    expect(lab.outlet.beats).toHaveLength(length);
  });

  /**
   * Goal: a crash at any commit leaves a ledger that the next start brings up to what is.
   * Method: one whole story, of which the first k commits are stored, for every k; then a start on what there is.
   */
  test('[LC-4] heals what a crash at any commit left unpublished', async () => {
    let commits = 0;
    const told: PublishLab[] = [];
    const tell = async (kept: Parameters<typeof publishLab>[0]): Promise<void> => {
      const lab = await publishLab(kept);
      told.push(lab);
      const port = await lab.agent();
      await put(port, 'a', 'one');
      await lab.settled();
      await put(port, 'b', 'two');
      await put(port, 'c', 'three');
      await lab.phone.approve([lab.idOf(1), lab.idOf(2)]);
      await lab.settled();
      await lab.tablet.reject([lab.idOf(3)]);
      await lab.settled();
    };
    const dead = async (is: () => boolean): Promise<void> => {
      while (!is()) await turns(1);
      await turns(20);
    };
    const story = async (crashAt: number): Promise<PublishLab> => {
      const inner = memoryJournal();
      const world = shelf();
      commits = 0;
      told.length = 0;
      const journal = overJournal(inner, (batch, store) => {
        commits += 1;
        return commits >= crashAt ? new Promise(() => undefined) : store(batch);
      });
      await Promise.race([tell({ journal, shelf: world }), dead(() => commits >= crashAt)]);
      const lab = await publishLab({ journal: inner, shelf: world, seed: 5 });
      await lab.settled();
      // The relay has what the process that died handed over: the next one must be able to go on there.
      for (const [room, old] of told[0]?.outlet.rooms ?? []) {
        const doc = lab.outlet.rooms.get(room);
        if (doc !== undefined) Y.applyUpdate(doc, Y.encodeStateAsUpdate(old));
      }
      return lab;
    };
    const whole = await story(Infinity);
    const all = commits;
    expect(shown(whole)).toEqual(['#1 applied', '#2 applied', '#3 rejected']);
    for (let crashAt = 2; crashAt <= all; crashAt++) {
      const lab = await story(crashAt);
      expect(lab.reader().check().state, `crash at commit ${crashAt}`).toBe('whole');
      expect(lab.actions(), `crash at commit ${crashAt}`).toEqual(await expected(lab));
    }
  });
});
