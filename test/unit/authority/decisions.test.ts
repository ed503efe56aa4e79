import { describe, expect, test } from 'vitest';
import { get, put, workshop } from '../../support/workshop.ts';

describe('decisions', () => {
  test('[DR-1] approved actions are applied in lane order, and nothing passes an undecided one', async () => {
    const { agent, person, settled, shelf, states, idOf, authority } = await workshop();
    const port = await agent();
    for (const name of ['a', 'b', 'c']) await put(port, name, 'x');
    await person.approve([idOf(3), idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'pending', 2: 'approved', 3: 'approved' });
    expect((await authority.show(idOf(3))).row.waitsFor).toEqual([idOf(1)]);
    await person.approve([idOf(1)]);
    await settled();
    expect(shelf.effects).toEqual(['a=x', 'b=x', 'c=x']);
    expect(states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'applied' });
  });

  test('[DR-3] a rejection lets what waited behind it go on', async () => {
    const { agent, person, settled, shelf, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'x');
    await put(port, 'b', 'x');
    await person.approve([idOf(2)]);
    await person.reject([idOf(1)]);
    await settled();
    expect(shelf.effects).toEqual(['b=x']);
  });

  test('[CA-1] a rejection takes down what needs it, approved or not, and rolls the overlay back', async () => {
    const { agent, person, settled, shelf, states, idOf, authority } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await put(port, 'b', 'x');
    await person.approve([idOf(2)]);
    expect((await authority.show(idOf(1))).falls).toEqual([idOf(2)]);
    await person.reject([idOf(1)], 'not this way');
    await settled();
    expect(states()).toEqual({ 1: 'rejected', 2: 'rejected', 3: 'pending' });
    expect((await get(port, 'a')).text, '[SM-7]').toBe('');
    expect(shelf.effects).toEqual([]);
  });

  test('[SM-8] the agent is told once, with reason and what fell, and a repeat is answered from the rejection', async () => {
    const { agent, person, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await person.reject([idOf(1)], 'not this way');
    const { notices } = await get(port, 'b');
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('#1 "put" on "a" was rejected by a person, on "this program".');
    expect(notices[0]).toContain('With it fell what needs it: #2.');
    expect(notices[0]).toContain('| not this way');
    expect((await get(port, 'b')).notices).toEqual([]);
    expect(await put(port, 'a', 'one')).toMatchObject({ type: 'refused', code: 'rejected' });
    await person.decide({ kind: 'reconsider', ids: [idOf(1)] });
    expect(await put(port, 'a', 'one')).toMatchObject({ type: 'simulated', seq: 3 });
  });

  test('[SM-7] who saw what is withdrawn is told to restart, and what was made after it must be looked at again', async () => {
    const { agent, person, states, idOf, authority } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await get(port, 'a');
    await put(port, 'b', 'x');
    await person.approve([idOf(2)]);
    await person.reject([idOf(1)]);
    expect(states()).toEqual({ 1: 'rejected', 2: 'pending' });
    expect((await authority.show(idOf(2))).row.attention).toMatchObject({ kind: 'premise-withdrawn' });
    expect((await get(port, 'b')).notices[0]).toContain('Restart: you were shown #1.');
  });

  test('[DC-12] an approval counts only if it names the newest attention', async () => {
    const { agent, person, settled, states, idOf, authority } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await get(port, 'a');
    await put(port, 'b', 'x');
    const blind = (await authority.show(idOf(2))).action;
    await person.reject([idOf(1)]);
    expect(blind.newestAttention).toBeUndefined();
    await person.approve([idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'rejected', 2: 'applied' });
  });

  test('[DC-3] a reject is final: a later approve does not revive the action', async () => {
    const { agent, person, settled, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await person.reject([idOf(1)]);
    const [result] = await person.approve([idOf(1)]);
    expect(result).toMatchObject({ result: 'refused' });
    await settled();
    expect(states()).toEqual({ 1: 'rejected' });
  });

  test('[DR-9] a hold parks its group, others go on, and a release puts the group at the tail', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await put(port, 'b', 'x');
    await person.approve([idOf(1), idOf(2), idOf(3)].slice(1));
    await person.decide({ kind: 'hold', ids: [idOf(1)] });
    await settled();
    expect(states()).toEqual({ 1: 'held', 2: 'held', 3: 'applied' });
    await put(port, 'a', 'three');
    expect(states()[4], 'born parked').toBe('held');
    await person.decide({ kind: 'release', ids: [idOf(1)] });
    await settled();
    expect(states(), 'what was approved before the hold is approved again').toEqual({
      1: 'pending',
      2: 'approved',
      3: 'applied',
      4: 'pending',
    });
    await person.approve([idOf(1)]);
    await settled();
    expect(shelf.effects).toEqual(['b=x', 'a=one', 'a=two']);
  });

  test('[DC-11] an approval can be taken back before its effect begins', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'x');
    await put(port, 'b', 'x');
    await person.approve([idOf(2)]);
    await person.decide({ kind: 'retract', ids: [idOf(2)] });
    await person.approve([idOf(1)]);
    await settled();
    expect(states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(shelf.effects).toEqual(['a=x']);
  });

  test('[CA-3] a revert puts back what is still as the action left it, else says why not', async () => {
    const { agent, person, settled, shelf, states, idOf, authority } = await workshop();
    const port = await agent();
    shelf.notes.set('a', 'old');
    await put(port, 'a', 'new');
    await put(port, 'b', 'new');
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    shelf.notes.set('b', 'edited since');
    await person.decide({ kind: 'revert', ids: [idOf(1), idOf(2)] });
    await settled();
    expect(states()).toEqual({ 1: 'reverted', 2: 'applied' });
    expect(shelf.notes.get('a')).toBe('old');
    expect(shelf.notes.get('b')).toBe('edited since');
    expect((await authority.show(idOf(2))).row.why).toContain('not as this left it');
  });

  test('[DR-4] a failure stops its lane until a person retries or rejects it', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'x');
    await put(port, 'b', 'x');
    shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'no' });
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'failed', 2: 'approved' });
    delete shelf.hooks.beforeApply;
    await person.decide({ kind: 'retry', ids: [idOf(1)] });
    await settled();
    expect(states()).toEqual({ 1: 'applied', 2: 'applied' });
  });

  test('[EF-2] an effect that throws after it began is in doubt until a person settles it', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'x');
    shelf.hooks.beforeApply = () => Promise.reject(new Error('connection lost'));
    await person.approve([idOf(1)]);
    await settled();
    expect(states(), '[LC-3]').toEqual({ 1: 'in-doubt' });
    expect(
      await person.decide({ kind: 'settle', ids: [idOf(1)], body: { answer: 'did-not', attempt: 2 } }),
    ).toMatchObject([{ result: 'refused' }]);
    await person.decide({ kind: 'settle', ids: [idOf(1)], body: { answer: 'did-not', attempt: 1 } });
    expect(states()).toEqual({ 1: 'not-applied' });
    delete shelf.hooks.beforeApply;
    await person.decide({ kind: 'retry', ids: [idOf(1)] });
    await settled();
    expect(states()).toEqual({ 1: 'applied' });
    expect(shelf.effects).toEqual(['a=x']);
  });

  test('[EF-4] an effect that hangs is in doubt at its deadline, and a late answer settles it', async () => {
    const { agent, person, settled, shelf, states, idOf, clock } = await workshop();
    const port = await agent();
    await put(port, 'a', 'x');
    let answer: (() => void) | undefined;
    shelf.hooks.beforeApply = () =>
      new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
    await person.approve([idOf(1)]);
    await settled();
    expect(states()).toEqual({ 1: 'applying' });
    clock.advance(60_000);
    await settled();
    expect(states()).toEqual({ 1: 'in-doubt' });
    answer?.();
    await settled();
    expect(states()).toEqual({ 1: 'applied' });
  });

  test('[CA-5] a reject that arrives after the effect began is recorded as late', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'x');
    let finish: (() => void) | undefined;
    shelf.hooks.beforeApply = () =>
      new Promise((resolve) => {
        finish = () => resolve(undefined);
      });
    await person.approve([idOf(1)]);
    await settled();
    expect(await person.reject([idOf(1)])).toMatchObject([{ result: 'late' }]);
    finish?.();
    await settled();
    expect(states()).toEqual({ 1: 'applied' });
  });

  test('[GM-1] a clean merge is another digest and is asked for again; [GM-3] the agent reads it and is told', async () => {
    const { agent, person, settled, shelf, states, idOf, authority } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    shelf.notes.set('a', '+theirs ');
    const before = (await authority.show(idOf(1))).row.digest;
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'pending', 2: 'pending' });
    expect((await authority.show(idOf(1))).row).toMatchObject({ attention: { kind: 'reissued' } });
    expect((await authority.show(idOf(1))).row.digest, '[LC-5]').not.toBe(before);
    expect(shelf.effects, '[T8]').toEqual([]);
    const read = await get(port, 'a');
    expect(read.text).toBe('+theirs onetwo');
    expect(read.notices).toHaveLength(2);
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(shelf.notes.get('a')).toBe('+theirs onetwo');
  });

  test('[GM-2] a conflict is left by taking theirs, or by a reject, never by an approval', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    shelf.notes.set('a', 'theirs');
    await person.approve([idOf(1)]);
    await settled();
    expect(await person.approve([idOf(1)])).toMatchObject([{ result: 'refused' }]);
    await person.decide({ kind: 'reissue', ids: [idOf(1)], body: { mode: 'theirs' } });
    await settled();
    expect(states()).toEqual({ 1: 'pending' });
    await person.approve([idOf(1)]);
    await settled();
    expect(shelf.notes.get('a')).toBe('one');
  });

  test('[DR-6] a surface that says moved and changes nothing is a conflict, not an endless look', async () => {
    const { agent, person, settled, shelf, states, idOf } = await workshop();
    await put(await agent(), 'a', 'one');
    const [surface] = shelf.pack.surfaces;
    if (surface === undefined) throw new Error('the shelf has a surface');
    Object.assign(surface, { look: async () => ({ type: 'moved', why: 'It says so.' }) });
    await person.approve([idOf(1)]);
    await settled();
    expect(states()).toEqual({ 1: 'pending' });
    expect(await person.approve([idOf(1)])).toMatchObject([{ result: 'refused' }]);
  });

  test('[SM-11] a request for change rejects and tells the agent what to do instead, fenced', async () => {
    const { agent, person, states, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await person.decide({
      kind: 'change',
      ids: [idOf(1)],
      body: { say: 'call it b', remarks: [{ path: 'a', line: 3, text: 'typo' }] },
    });
    expect(states()).toEqual({ 1: 'rejected' });
    const [notice] = (await get(port, 'a')).notices;
    expect(notice).toContain('| call it b');
    expect(notice).toContain('| a:3: typo');
  });

  test('[DC-7] what is longer than a decision may be is refused unread, and counted', async () => {
    const { authority, journal } = await workshop();
    const payload = `{"device":"x","pad":"${'a'.repeat(64 * 1024)}"}`;
    await expect(authority.decide([{ payload, signature: '' }])).rejects.toMatchObject({
      code: 'denied',
      message: 'A decision may have 65536 bytes at most.',
    });
    expect(journal.rows(journal.head().seq, 1)[0]?.kind).toBe('decision-refused');
  });
});
