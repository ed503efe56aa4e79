import { describe, expect, test } from 'vitest';
import type { AgentPort, CallAnswer } from '../../../src/model/agent-port.ts';
import { get, put, workshop, type Workshop } from '../../support/workshop.ts';

const mode = ({ person }: Workshop, to: 'act' | 'plan') => person.decide({ kind: 'mode', ids: [], body: { mode: to } });

const putIn = (port: AgentPort, name: string, to?: 'act' | 'plan'): Promise<CallAnswer> =>
  port.call({ tool: 'put', arguments: { name, text: 'x' }, callId: null, mode: to });

describe('plan mode', () => {
  test('[DR-8] proposing is refused and leaves the journal as it was; reading goes on', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'a', 'x');
    await mode(shop, 'plan');
    const before = shop.journal.head();
    shop.clock.advance(10 * 60_000);
    const answer = await put(port, 'b', 'x', 'call-1');
    expect(answer).toMatchObject({ type: 'refused', code: 'plan' });
    expect(answer).toMatchObject({ why: expect.stringContaining('set by this program') });
    expect((await get(port, 'a')).text).toBe('x');
    expect(shop.journal.head(), 'invariant 22').toEqual(before);
    expect(shop.states()).toEqual({ 1: 'pending' });
    await mode(shop, 'act');
    expect(await put(port, 'b', 'x', 'call-1')).toMatchObject({ type: 'simulated', seq: 2 });
  });

  test('[DR-8] what was queued stays frozen and says why, also after a restart, and goes on in act mode', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'a', 'x');
    await mode(shop, 'plan');
    await shop.person.approve([shop.idOf(1)]);
    const again = await shop.reopen();
    await again.settled();
    expect(again.states()).toEqual({ 1: 'approved' });
    const { row } = await again.authority.show(again.idOf(1));
    expect(row.gate).toEqual({ code: 'plan-mode', untilMs: null });
    expect(row.why).toContain('Plan mode is on, set by this program');
    await mode(again, 'act');
    await again.settled();
    expect(again.shelf.effects).toEqual(['a=x']);
  });

  test('[DR-8] a person lets exactly these through, as they are now', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    for (const name of ['a', 'b', 'c']) await put(port, name, 'x');
    await mode(shop, 'plan');
    const [early] = await shop.person.decide({ kind: 'anyway', ids: [shop.idOf(1)] });
    expect(early, 'nothing is approved by it').toMatchObject({ result: 'refused' });
    await shop.person.approve([shop.idOf(1), shop.idOf(2), shop.idOf(3)]);
    await shop.person.decide({ kind: 'anyway', ids: [shop.idOf(1), shop.idOf(2)] });
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['a=x', 'b=x']);
    expect(shop.states()[3]).toBe('approved');
    await mode(shop, 'act');
    const [late] = await shop.person.decide({ kind: 'anyway', ids: [shop.idOf(3)] });
    expect(late).toMatchObject({ result: 'refused' });
  });

  test('[DR-8] what was let through is another version after it changed, and plan mode that ends forgets it', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await put(port, 'a', 'x');
    await mode(shop, 'plan');
    await shop.person.approve([shop.idOf(2)]);
    await shop.person.decide({ kind: 'anyway', ids: [shop.idOf(2)] });
    await mode(shop, 'act');
    await mode(shop, 'plan');
    await shop.person.reject([shop.idOf(1)]);
    await shop.settled();
    expect(shop.states(), 'let through once, and for that plan mode').toEqual({ 1: 'rejected', 2: 'approved' });
    shop.shelf.notes.set('a', '+theirs ');
    await shop.person.decide({ kind: 'anyway', ids: [shop.idOf(2)] });
    await shop.settled();
    await shop.person.approve([shop.idOf(2)]);
    await shop.settled();
    expect(shop.states(), 'approved as it is now, and not let through as it is now').toMatchObject({ 2: 'approved' });
    expect(shop.shelf.effects).toEqual([]);
  });

  test('[DR-8] the host says it for a call; the agent’s own arguments never do', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await putIn(port, 'a');
    await shop.person.decide({ kind: 'pause', ids: [] });
    await shop.person.approve([shop.idOf(1)]);
    expect(await putIn(port, 'b', 'plan')).toMatchObject({ type: 'refused', code: 'plan' });
    await shop.person.decide({ kind: 'resume', ids: [] });
    await shop.settled();
    expect(shop.states(), 'frozen while its host has it plan').toEqual({ 1: 'approved' });
    const said = await port.call({
      tool: 'put',
      arguments: { name: 'c', text: 'x', mode: 'act' },
      callId: null,
      mode: 'plan',
    });
    expect(said).toMatchObject({ type: 'refused', code: 'plan' });
    expect(await putIn(port, 'd'), 'the others are in act mode').toMatchObject({ type: 'simulated', seq: 2 });
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['a=x']);
  });

  test('[DR-8] a host’s plan mode outlives a restart, and a person can end it', async () => {
    const shop = await workshop();
    const port = await shop.agent('one');
    await put(port, 'a', 'x');
    await putIn(port, 'b', 'plan');
    await shop.person.approve([shop.idOf(1)]);
    const again = await shop.reopen();
    await again.settled();
    expect(again.states()).toEqual({ 1: 'approved' });
    expect(await put(await again.agent('one'), 'b', 'x')).toMatchObject({ type: 'refused', code: 'plan' });
    await mode(again, 'act');
    await again.settled();
    expect(again.shelf.effects).toEqual(['a=x']);
  });
});
