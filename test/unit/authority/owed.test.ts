import { describe, expect, test } from 'vitest';
import { get, put, workshop, type Workshop } from '../../support/workshop.ts';
import { post } from '../../support/post-surface.ts';
import { fillable } from '../../support/fillable-journal.ts';

/** `#1` is in conflict with what somebody wrote, and a person takes the agent's version. */
async function inConflict(journal?: Workshop['journal']): Promise<Workshop> {
  const made = await workshop(journal === undefined ? {} : { journal });
  await put(await made.agent(), 'a', 'mine');
  made.shelf.notes.set('a', 'theirs');
  await made.person.approve([made.idOf(1)]);
  await made.settled();
  expect(attentionOf(made)).toBe('conflict');
  return made;
}

const attentionOf = ({ authority }: Workshop): string | undefined => authority.queue({ all: true })[0]?.attention?.kind;

describe('what a decision asked for', () => {
  test('[DC-6] [DR-3] a receipted reissue whose process dies before it runs is carried out at the next start', async () => {
    const before = await inConflict();
    const put1 = before.shelf.pack.surfaces[0];
    if (put1 === undefined) throw new Error('the shelf has a surface');
    const { reissue } = put1;
    Object.assign(put1, { reissue: () => new Promise(() => undefined) });
    const deciding = before.person.decide({ kind: 'reissue', ids: [before.idOf(1)], body: { mode: 'theirs' } });
    await before.settled();
    Object.assign(put1, { reissue });
    const after = await workshop({ journal: before.journal, shelf: before.shelf, seed: 2 });
    await after.settled();
    expect(attentionOf(after)).toBe('reissued');
    expect(after.journal.liveRecords('meta'), 'it is not owed twice').toEqual([]);
    await after.person.approve([after.idOf(1)]);
    await after.settled();
    expect(after.shelf.notes.get('a')).toBe('mine');
    void deciding;
  });

  test('[F2] a reissue that a full disk stopped is carried out when there is space', async () => {
    const disk = fillable();
    const made = await inConflict(disk.journal);
    const surface = made.shelf.pack.surfaces[0];
    if (surface?.reissue === undefined) throw new Error('the shelf reissues');
    const reissue = surface.reissue.bind(surface);
    Object.assign(surface, {
      reissue: (...args: Parameters<typeof reissue>) => {
        disk.full = 'all';
        return reissue(...args);
      },
    });
    await made.person.decide({ kind: 'reissue', ids: [made.idOf(1)], body: { mode: 'theirs' } });
    await made.settled();
    expect(attentionOf(made)).toBe('conflict');
    Object.assign(surface, { reissue });
    disk.full = 'no';
    await put(await made.agent('other'), 'b', 'x');
    await made.settled();
    expect(attentionOf(made)).toBe('reissued');
  });
});

describe('what failed and is tried again', () => {
  test('[DR-3] [SM-7] it is asked again when what its agent had seen was withdrawn meanwhile', async () => {
    const made = await workshop();
    const port = await made.agent();
    await put(port, 'a', 'seen');
    await get(port, 'a');
    const other = await made.agent('elsewhere');
    await put(other, 'z', 'first');
    await put(port, 'b', 'made after it');
    await made.person.decide({ kind: 'hold', ids: [made.idOf(1)] });
    made.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'no' });
    await made.person.approve([made.idOf(3)]);
    await made.settled();
    expect(made.states()).toMatchObject({ 3: 'failed' });
    delete made.shelf.hooks.beforeApply;
    await made.person.reject([made.idOf(1)]);
    expect((await made.authority.show(made.idOf(3))).row).toMatchObject({
      state: 'failed',
      attention: { kind: 'premise-withdrawn' },
    });
    await made.person.decide({ kind: 'retry', ids: [made.idOf(3)] });
    await made.settled();
    expect(made.states()).toMatchObject({ 3: 'pending' });
    expect(made.shelf.effects).toEqual([]);
    await made.person.approve([made.idOf(3)]);
    await made.settled();
    expect(made.shelf.effects).toEqual(['b=made after it']);
  });
});

describe('a surface that is not installed any more', () => {
  test('[LC-6] what waits is closed at the next start, with what needs it, and the agent is told', async () => {
    const before = await workshop();
    const port = await before.agent('worker');
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await put(port, 'b', 'x');
    await before.person.approve([before.idOf(3)]);
    const gone = post({ effectClass: 'E3' });
    await port.close();
    const after = await workshop({ journal: before.journal, shelf: gone, seed: 2 });
    await after.settled();
    expect(after.states()).toEqual({ 1: 'rejected', 2: 'rejected', 3: 'rejected' });
    const rows = after.authority.queue({ all: true });
    expect(rows.map(({ why }) => why)).toEqual([
      'What would apply it is not installed any more.',
      'Fell with #1.',
      'What would apply it is not installed any more.',
    ]);
    const { notices } = await (await after.agent('worker')).status();
    expect(notices.join('\n')).toContain('#3 "put" on "put" was closed, because its tool is gone.');
  });

  test('[LC-6] what was being applied is settled first, and closed then', async () => {
    const world = post({ effectClass: 'E4' });
    const before = await workshop({ shelf: world });
    world.way.back = () => new Promise(() => undefined);
    await (await before.agent()).call({ tool: 'send', arguments: { text: 'hello' }, callId: null });
    await before.person.approve([before.idOf(1)]);
    await before.settled();
    const { shelf } = await workshop();
    const after = await workshop({ journal: before.journal, shelf, seed: 2 });
    expect(after.states()).toEqual({ 1: 'in-doubt' });
    await after.person.decide({ kind: 'settle', ids: [after.idOf(1)], body: { answer: 'did-not', attempt: 1 } });
    expect(after.states()).toEqual({ 1: 'rejected' });
  });
});

describe('a reject that comes too late', () => {
  test('[CA-5] it is recorded, stands on the card, and a revert is offered; nothing is taken back by itself', async () => {
    const made = await workshop();
    await put(await made.agent(), 'a', 'one');
    let apply: () => void = () => undefined;
    made.shelf.hooks.beforeApply = () => new Promise((resolve) => void (apply = () => resolve(undefined)));
    await made.person.approve([made.idOf(1)]);
    await made.settled();
    expect(await made.person.reject([made.idOf(1)], 'wait')).toEqual([
      { id: made.idOf(1), result: 'late', why: expect.stringContaining('had begun') },
    ]);
    apply();
    await made.settled();
    expect(made.states()).toEqual({ 1: 'applied' });
    const { row, revertable } = await made.authority.show(made.idOf(1));
    expect(row.why).toBe('this program rejected it after it had begun. It can be reverted.');
    expect(revertable).toMatchObject({ feasible: true });
    expect(await made.person.reject([made.idOf(1)])).toMatchObject([
      { result: 'late', why: '#1 was applied before this arrived. It is recorded; a revert takes it back.' },
    ]);
    expect(made.shelf.notes.get('a')).toBe('one');
    await made.person.decide({ kind: 'revert', ids: [made.idOf(1)] });
    await made.settled();
    expect(made.shelf.notes.has('a')).toBe(false);
  });
});
