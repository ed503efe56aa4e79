import { describe, expect, test } from 'vitest';
import { get, put, workshop } from '../../support/workshop.ts';

describe('proposals', () => {
  test('[SM-9] a write answers at once with the simulated result, and the world is untouched', async () => {
    const { agent, shelf } = await workshop();
    const port = await agent();
    const answer = await put(port, 'a', 'one');
    expect(answer).toMatchObject({
      type: 'simulated',
      seq: 1,
      state: 'pending',
      result: { content: [{ text: 'Put a' }] },
    });
    expect(shelf.notes.size).toBe(0);
  });

  test('[SM-2] reads see pending writes, and only those of their own root session', async () => {
    const { agent } = await workshop();
    const mine = await agent('mine');
    const other = await agent('other');
    await put(mine, 'a', 'one');
    expect((await get(mine, 'a')).text).toBe('one');
    expect((await get(other, 'a')).text, '[SM-10]').toBe('');
  });

  test('[SM-6] a write on a pending write needs it; a read only saw it', async () => {
    const { agent, authority } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    await get(port, 'a');
    await put(port, 'b', 'two');
    await put(port, 'a', 'three');
    const [one, two, three] = authority.queue({ all: false });
    expect(two).toMatchObject({ needs: [], saw: [one?.id] });
    expect(three).toMatchObject({ needs: [one?.id], saw: [] });
  });

  test('[CP-2] a repeated call is the same action, by call id and by what it does', async () => {
    const { agent, authority } = await workshop();
    const port = await agent();
    const first = await put(port, 'a', 'one', 'call-1');
    expect(await put(port, 'a', 'one', 'call-1')).toEqual(first);
    expect(await put(port, 'a', 'one')).toMatchObject({ type: 'passthrough' });
    expect(authority.queue({ all: true })).toHaveLength(1);
  });

  test('[CP-2] a call that would change nothing succeeds without an action', async () => {
    const { agent, authority, shelf } = await workshop();
    shelf.notes.set('a', 'one');
    expect(await put(await agent(), 'a', 'one')).toMatchObject({ type: 'passthrough' });
    expect(authority.queue({ all: true })).toEqual([]);
  });

  test('[SM-1] what cannot be simulated waits, and what needs nothing of it goes on in its own lane', async () => {
    const { agent, clock, person, settled, shelf, idOf } = await workshop();
    const port = await agent();
    await put(port, 'a', 'one');
    expect(await port.call({ tool: 'ask', arguments: { question: 'why' }, callId: null })).toMatchObject({
      type: 'awaiting',
      seq: 2,
    });
    await person.approve([idOf(2)]);
    clock.advance(10_000);
    await settled();
    expect(shelf.effects).toEqual(['ask why']);
    const { results } = await port.wait({ ids: [idOf(2)], forRoom: false, timeoutMs: 0 });
    expect(results[0]).toMatchObject({ outcome: 'applied', result: { content: [{ text: '42' }] } });
  });

  test('bad arguments name the field, and nothing is queued', async () => {
    const { agent, authority } = await workshop();
    const answer = await (await agent()).call({ tool: 'put', arguments: { name: 'a' }, callId: null });
    expect(answer).toMatchObject({ type: 'refused', code: 'bad-input', why: 'text: expected a string.' });
    expect(authority.queue({ all: true })).toEqual([]);
  });

  test('[CP-1] at the cap nothing is queued and the answer says how to go on', async () => {
    const { agent, authority } = await workshop();
    const port = await agent();
    for (let i = 0; i < 500; i++) await put(port, `n${i}`, 'x');
    const answer = await put(port, 'one-too-many', 'x');
    expect(answer).toMatchObject({ type: 'refused', code: 'full' });
    expect(answer.type === 'refused' && answer.why).toContain('wait_for_decision');
    expect(await put(port, 'n0', 'again'), 'a step on a known target is free').toMatchObject({ type: 'simulated' });
    expect(authority.queue({ all: false })).toHaveLength(501);
  });

  test('[CP-4] a session is found again by name, and by its client when it has no open connection', async () => {
    const { agent, authority } = await workshop();
    const named = await agent('mine');
    await put(named, 'a', 'one');
    expect((await get(await agent('mine'), 'a')).text).toBe('one');
    const unnamed = await agent();
    await put(unnamed, 'b', 'two');
    const second = await agent();
    expect((await get(second, 'b')).text, 'the first connection is still open').toBe('');
    await unnamed.close();
    await second.close();
    expect(authority.status().sessions, 'the one without work is not kept').toHaveLength(2);
  });

  test('[CA-6] an agent withdraws its own uncommitted actions with what needs them, never another session’s', async () => {
    const { agent, states, idOf } = await workshop();
    const mine = await agent('mine');
    const other = await agent('other');
    await put(mine, 'a', 'one');
    await put(mine, 'a', 'two');
    await put(other, 'b', 'three');
    const answer = await mine.withdraw([idOf(1), idOf(3)]);
    expect(answer.results).toEqual([
      { id: idOf(1), result: 'withdrawn', why: null, fell: [idOf(2)] },
      { id: idOf(3), result: 'refused', why: 'This session has no such action.', fell: [] },
    ]);
    expect(states()).toEqual({ 1: 'rejected', 2: 'rejected', 3: 'pending' });
  });
});
