import { describe, expect, test } from 'vitest';
import { PUBLISH_LIMITS } from '../../../src/authority/publish/limits.ts';
import { LAB_PLACE, publishLab, quarantinedJournal, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

const WHY = 'The journal lost entry 7.';

/** A workspace with two open actions whose journal is found damaged at its next start. */
async function quarantined(): Promise<{ readonly before: PublishLab; readonly lab: PublishLab }> {
  const before = await publishLab();
  const port = await before.agent();
  await put(port, 'a', 'one');
  await put(port, 'b', 'two');
  await before.settled();
  const lab = await before.crashed({ journal: quarantinedJournal(before.world.journal, WHY) });
  await lab.settled();
  return { before, lab };
}

describe('a workspace in quarantine', () => {
  test('[EF-7] says so in a room of its own that is not stored, and shows nothing that could be decided', async () => {
    const { before, lab } = await quarantined();
    const [was, is] = [before.heads.at(-1), lab.heads.at(-1)];
    expect(is).toEqual({ ...was, room: is?.room });
    expect(is?.room).toMatch(/^1\.[5-9]\d{9}$/);
    const records = [...lab.records().values()];
    expect(records).toMatchObject([{ type: 'workspace', quarantine: WHY, name: 'shelf' }]);
    expect(lab.reader().check(), 'it signs no end of a log that is in doubt').toMatchObject({
      state: 'whole',
      sum: { size: was?.checkpoint?.size ?? 0 },
    });
    expect(lab.outlet.beats).toEqual([]);
    expect(lab.outlet.puts).toEqual([]);
    await expect(lab.authority.decide([])).rejects.toMatchObject({ code: 'quarantined' });
  });

  test('[EF-7] takes another room for another key, and for one that is damaged, one a minute', async () => {
    const { lab } = await quarantined();
    const name = (): string => `q/${LAB_PLACE.home}/${LAB_PLACE.workspace}/${lab.heads.at(-1)?.room}`;
    const first = name();
    await lab.authority.rosterChanged();
    expect(name()).toBe(first);
    await lab.remove(lab.tablet.id);
    const second = name();
    expect(second).not.toBe(first);
    expect(lab.reader().check()).toMatchObject({ state: 'whole' });
    lab.authority.roomDamaged('q/elsewhere');
    expect(name()).toBe(second);
    lab.authority.roomDamaged(second);
    lab.authority.roomDamaged(second);
    expect(name(), 'there was a new one just now').toBe(second);
    lab.world.clock.advance(PUBLISH_LIMITS.roomEveryMs);
    const third = name();
    expect(third).not.toBe(second);
    expect(lab.outlet.closed).toEqual([first, second]);
    lab.authority.roomDamaged(third);
    await lab.authority.stop();
    lab.world.clock.advance(PUBLISH_LIMITS.roomEveryMs);
    expect(name()).toBe(third);
  });

  test('[EF-7] goes on where it was when its journal is sound again', async () => {
    const { before, lab } = await quarantined();
    const again = await lab.crashed({ journal: before.world.journal });
    await again.settled();
    expect(again.heads.at(-1)?.room).toBe(before.heads.at(-1)?.room);
    expect(again.actions().map(({ state }) => state)).toEqual(['pending', 'pending']);
  });
});
