import { describe, expect, test } from 'vitest';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import { fillable } from '../../support/fillable-journal.ts';
import { overJournal } from '../../support/over-journal.ts';
import { publishLab } from '../../support/publish-lab.ts';
import { addRule } from '../../support/rule-wish.ts';
import { get, put, workshop } from '../../support/workshop.ts';

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

  test('[F2] what a full disk stopped goes on by itself although nothing else happens, and the alarm is told once', async () => {
    const disk = fillable();
    const { agent, alarms, clock, person, settled, states, idOf, shelf } = await workshop({ journal: disk.journal });
    const port = await agent();
    for (const name of ['a', 'b']) await put(port, name, 'x');
    shelf.hooks.beforeApply = async () => {
      disk.full = 'reserve';
      return undefined;
    };
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    delete shelf.hooks.beforeApply;
    for (let turn = 0; turn < 3; turn++) {
      clock.advance(AUTHORITY_LIMITS.fullRetryMs);
      await settled();
    }
    expect([states(), alarms.length]).toEqual([{ 1: 'applied', 2: 'approved' }, 1]);
    disk.full = 'no';
    clock.advance(AUTHORITY_LIMITS.fullRetryMs);
    await settled();
    expect(shelf.effects).toEqual(['a=x', 'b=x']);
    expect(states()).toEqual({ 1: 'applied', 2: 'applied' });
  });

  test('[F2] [DC-8] who was removed while the disk was full has no say when there is space, though nobody says it again', async () => {
    const disk = fillable();
    const lab = await publishLab({ journal: disk.journal });
    const port = await lab.agent();
    for (const name of ['a', 'b']) await put(port, name, 'x');
    await lab.tablet.approve([lab.idOf(2)]);
    const states = () => lab.authority.queue({ all: true }).map(({ state }) => state);
    disk.full = 'reserve';
    await expect(lab.remove(lab.tablet.id)).rejects.toMatchObject({ code: 'full' });
    expect(states()).toEqual(['pending', 'approved']);
    disk.full = 'no';
    lab.world.clock.advance(AUTHORITY_LIMITS.fullRetryMs);
    await lab.settled();
    expect(states()).toEqual(['pending', 'pending']);
  });

  test('[F2] what a decision asked for and a full disk stopped is done when there is space', async () => {
    const disk = fillable();
    const { agent, person, settled, states, idOf, shelf, authority } = await workshop({ journal: disk.journal });
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    await person.approve([idOf(1)]);
    await settled();
    shelf.hooks.beforeRevert = async () => {
      disk.full = 'all';
      return undefined;
    };
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect(shelf.effects).toEqual(['a=one', 'revert a']);
    expect(states(), 'nobody could write down that it happened').toMatchObject({ 1: 'reverting' });
    disk.full = 'no';
    delete shelf.hooks.beforeRevert;
    await put(port, 'c', 'three');
    await settled();
    expect(shelf.effects, 'it is looked at, and not done again').toEqual(['a=one', 'revert a']);
    expect(states()).toMatchObject({ 1: 'reverted' });
    expect((await authority.show(idOf(1))).action.state).toBe('reverted');
  });

  test('[F2] a rule that a full disk refused is not in force, and nothing it would have approved is', async () => {
    const disk = fillable();
    const shop = await workshop({ journal: disk.journal });
    const port = await shop.agent();
    await put(port, 'a', 'one');
    await put(port, 'b', 'two');
    disk.full = 'all';
    await expect(addRule(shop, { usesMax: 5 })).rejects.toMatchObject({ code: 'full', effect: 'none' });
    await shop.settled();
    expect([shop.authority.standing().rules, shop.states()]).toEqual([[], { 1: 'pending', 2: 'pending' }]);
    disk.full = 'no';
    await put(port, 'c', 'three');
    await shop.settled();
    expect(shop.shelf.effects, 'nor when there is space again').toEqual([]);
    await addRule(shop, { usesMax: 5 });
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['a=one', 'b=two', 'c=three']);
    expect(shop.authority.standing().rules).toMatchObject([{ uses: 3, usesMax: 5 }]);
  });

  test.each(['reserve', 'all'] as const)(
    '[F2] a use of a rule counts once or not at all when the disk fills to %s at it',
    async (how) => {
      const disk = fillable();
      const shop = await workshop({ journal: disk.journal });
      const port = await shop.agent();
      const uses = () => shop.authority.standing().rules.map((rule) => rule.uses);
      await addRule(shop, { usesMax: 3 });
      disk.full = how;
      expect(await put(port, 'a', 'one')).toMatchObject({ type: 'refused', code: 'full' });
      expect([uses(), shop.states()], 'what was not queued used nothing').toEqual([[0], {}]);
      disk.full = 'no';
      shop.shelf.hooks.beforeApply = async () => {
        disk.full = how;
        return undefined;
      };
      await put(port, 'a', 'one');
      await put(port, 'b', 'two').catch(() => undefined);
      await shop.settled();
      expect(shop.shelf.effects).toEqual(['a=one']);
      disk.full = 'no';
      delete shop.shelf.hooks.beforeApply;
      await put(port, 'b', 'two');
      await shop.settled();
      expect(shop.shelf.effects).toEqual(['a=one', 'b=two']);
      const before = [shop.authority.standing(), shop.states()];
      const again = await shop.reopen();
      await again.settled();
      expect([again.authority.standing(), again.states()], 'the disk says the same').toEqual(before);
      const next = await again.agent();
      for (const name of ['c', 'd']) await put(next, name, 'x');
      await again.settled();
      expect(again.shelf.effects, 'three uses are three actions, each once').toEqual(['a=one', 'b=two', 'c=x']);
      expect(again.states()).toMatchObject({ 4: 'pending' });
    },
  );

  test('[F2] a rule that a full disk kept from being removed stands, and is removed when there is space', async () => {
    const disk = fillable();
    const shop = await workshop({ journal: disk.journal });
    const rule = await addRule(shop);
    const remove = () => shop.person.decide({ kind: 'rule.remove', ids: [], body: { rule } });
    disk.full = 'all';
    await expect(remove()).rejects.toMatchObject({ code: 'full', effect: 'none' });
    expect(shop.authority.standing().rules).toMatchObject([{ id: rule, uses: 0 }]);
    disk.full = 'no';
    await remove();
    expect(shop.authority.standing().rules).toEqual([]);
    expect(await put(await shop.agent(), 'a', 'one')).toMatchObject({ state: 'pending' });
  });

  test('[F2] a checkpoint that a full disk lost is made again', async () => {
    const disk = fillable();
    const { agent, person, settled, authority } = await workshop({ journal: disk.journal });
    const port = await agent();
    const many = Math.ceil(AUTHORITY_LIMITS.checkpointEvery / 3) + 1;
    for (let n = 0; n < many; n++) await put(port, `note ${n}`, 'x');
    const ids = authority.queue({ all: false }).map(({ id }) => id);
    const checkpoints = () => disk.journal.rows(1, 10_000).filter(({ kind }) => kind === 'checkpointed').length;
    const { commit } = disk.journal;
    disk.journal.commit = (batch) => {
      if (batch.rows.some(({ kind }) => kind === 'checkpointed')) disk.full = 'all';
      return commit(batch);
    };
    await person.decide({ kind: 'hold', ids });
    await person.decide({ kind: 'retract', ids });
    await settled();
    expect([disk.full, checkpoints()]).toEqual(['all', 0]);
    disk.journal.commit = commit;
    disk.full = 'no';
    await person.decide({ kind: 'hold', ids: ids.slice(0, 1) });
    await settled();
    expect(checkpoints()).toBe(1);
  });

  test('[F2] [EF-4] an answer that came late, and to a full disk, is written down when there is space', async () => {
    const disk = fillable();
    const { agent, person, settled, shelf, states, idOf, clock } = await workshop({ journal: disk.journal });
    const port = await agent();
    await put(port, 'a', 'one');
    let answer = (): void => undefined;
    shelf.hooks.beforeApply = () =>
      new Promise((resolve) => (answer = () => resolve({ type: 'failed', why: 'It never left the house.' })));
    await person.approve([idOf(1)]);
    await settled();
    clock.advance(AUTHORITY_LIMITS.effectMsMax);
    await settled();
    disk.full = 'all';
    answer();
    await settled();
    expect(states()).toEqual({ 1: 'in-doubt' });
    disk.full = 'no';
    await put(port, 'b', 'two');
    await settled();
    expect(states()).toEqual({ 1: 'not-applied', 2: 'pending' });
  });

  test('[F2] [LC-6] an edit that was being made is made once, and nobody is told that it was not', async () => {
    const disk = fillable();
    const { agent, person, settled, shelf, states, idOf, alarms } = await workshop({ journal: disk.journal });
    const port = await agent();
    await put(port, 'a', 'one');
    const other = await agent('two');
    let goOn = (): void => undefined;
    shelf.hooks.before = (what, name) =>
      name === 'a' && what === 'describe' ? new Promise((resolve) => (goOn = resolve)) : Promise.resolve();
    const body = { arguments: { name: 'a', text: 'two' } };
    const answered = person.decide({ kind: 'edit', ids: [idOf(1)], body });
    await settled();
    disk.full = 'reserve';
    await put(other, 'b', 'refused');
    disk.full = 'no';
    await put(other, 'b', 'x');
    await settled();
    goOn();
    await answered;
    await settled();
    expect(states()).toEqual({ 1: 'rejected', 2: 'pending', 3: 'pending' });
    expect(alarms).toEqual([expect.stringContaining('The disk is full')]);
  });

  test('[F2] [EF-4] nor is the late answer of a revert lost', async () => {
    const disk = fillable();
    const { agent, person, settled, shelf, states, idOf, clock } = await workshop({ journal: disk.journal });
    const port = await agent();
    await put(port, 'a', 'one');
    await person.approve([idOf(1)]);
    await settled();
    let answer = (): void => undefined;
    shelf.hooks.beforeRevert = () => new Promise((resolve) => (answer = () => resolve({ type: 'reverted' })));
    await person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    clock.advance(AUTHORITY_LIMITS.effectMsMax);
    await settled();
    disk.full = 'all';
    answer();
    await settled();
    expect(states()).toEqual({ 1: 'revert-in-doubt' });
    disk.full = 'no';
    await put(port, 'b', 'two');
    await settled();
    expect(states()).toMatchObject({ 1: 'reverted' });
  });

  test('[F2] [CA-3] space takes up the reverts that it had stopped, and none whose own intent is not durable yet', async () => {
    const disk = fillable();
    const held: (() => void)[] = [];
    let holding = false;
    const journal = overJournal(disk.journal, async (batch, store) => {
      if (holding) await new Promise<void>((resolve) => void held.push(resolve));
      await store(batch);
    });
    const { agent, person, settled, states, idOf, shelf } = await workshop({ journal });
    const port = await agent();
    await put(port, 'a', 'one');
    await person.approve([idOf(1)]);
    await settled();
    disk.full = 'reserve';
    expect(await put(port, 'b', 'two')).toMatchObject({ type: 'refused', code: 'full' });
    disk.full = 'no';
    holding = true;
    const first = put(port, 'b', 'two');
    await settled();
    const revert = person.decide({ kind: 'revert', ids: [idOf(1)] });
    await settled();
    expect([held.length, states()]).toEqual([2, { 1: 'reverting', 2: 'pending' }]);
    held.shift()?.();
    await settled();
    expect(await first, 'there is space again').toMatchObject({ type: 'simulated' });
    expect(shelf.effects, 'the intent of the revert is not durable').toEqual(['a=one']);
    holding = false;
    held.shift()?.();
    await revert;
    await settled();
    expect(shelf.effects).toEqual(['a=one', 'revert a']);
    expect(states()).toEqual({ 1: 'reverted', 2: 'pending' });
  });
});
