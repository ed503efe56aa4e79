import { describe, expect, test } from 'vitest';
import { AGENT_METHODS } from '../../../src/door/agent-messages.ts';
import { FakeClock } from '../../../src/testing/index.ts';
import { shelf } from '../../support/shelf-surface.ts';
import { addRule, named, ruleBody } from '../../support/rule-wish.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const remove = ({ person }: Workshop, rule: string) => person.decide({ kind: 'rule.remove', ids: [], body: { rule } });

/** Its time passes, and nothing that waits for it hears of that: as when a machine sleeps. */
class DeafClock extends FakeClock {
  override after(): () => void {
    return () => undefined;
  }
}

/** A shelf whose author calls nothing safe, or only what this says. */
function shelfWith(safe: (name: string) => boolean): ReturnType<typeof shelf> {
  const world = shelf();
  const [surface] = world.pack.surfaces;
  if (surface === undefined) throw new Error('a shelf has a surface');
  const describeNote = surface.describe.bind(surface);
  Object.assign(surface, {
    async describe(...given: Parameters<typeof describeNote>) {
      const described = await describeNote(...given);
      const autoApprovable = safe(String(described.effect['name']));
      return { ...described, verdict: { ...described.verdict, autoApprovable } };
    },
  });
  return world;
}

describe('rules', () => {
  test('[DR-2] verdict and rule together approve, in the commit of the proposal, and in lane order', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'other/z', 'x');
    await addRule(shop, { where: [named('drafts/**')] });
    expect(await put(port, 'drafts/a', 'x')).toMatchObject({ type: 'simulated', state: 'approved' });
    await shop.settled();
    expect(shop.states(), '[DR-1] it waits for what a person has not decided').toEqual({ 1: 'pending', 2: 'approved' });
    await shop.person.approve([shop.idOf(1)]);
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['other/z=x', 'drafts/a=x']);
  });

  test('[DR-2] neither signal suffices alone', async () => {
    const world = shelfWith((name) => name.startsWith('safe'));
    const shop = await workshop({ shelf: world });
    const port = await shop.agent();
    await put(port, 'safe-1', 'verdict without rule');
    await addRule(shop, { where: [named('rule-*')] });
    await put(port, 'rule-1', 'rule without verdict');
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'pending', 2: 'pending' });
    expect(world.effects).toEqual([]);
  });

  test('[DR-2] a new rule speaks for what waits, but not for what a person spoke about or was asked to look at', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    for (const name of ['a', 'b', 'c', 'd']) await put(port, name, 'x');
    await shop.person.approve([shop.idOf(2)]);
    await shop.person.decide({ kind: 'retract', ids: [shop.idOf(2)] });
    await shop.person.decide({ kind: 'hold', ids: [shop.idOf(3)] });
    await addRule(shop);
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'applied', 2: 'pending', 3: 'held', 4: 'approved' });
    await shop.person.decide({ kind: 'release', ids: [shop.idOf(3)] });
    expect(shop.states()[3], 'whoever held it decides it').toBe('pending');
  });

  test('[DR-2] what cannot be undone is never approved by a rule', async () => {
    const world = shelf();
    const [surface] = world.pack.surfaces;
    // Without a way back nothing its author says of it makes it one that can be undone.
    Object.assign(surface ?? {}, { revert: undefined });
    const shop = await workshop({ shelf: world });
    const port = await shop.agent();
    await addRule(shop);
    await addRule(shop, { kind: 'peer.ask' });
    await put(port, 'a', 'x');
    await port.call({ tool: 'ask', arguments: { question: 'really?' }, callId: null });
    await shop.settled();
    expect(shop.authority.queue({ all: false })[0]).toMatchObject({ verdict: { autoApprovable: true } });
    expect(shop.states()).toEqual({ 1: 'pending', 2: 'pending' });
  });

  test('[DR-2] a rule for a kind outside the catalogue is refused with the sentence that helps', async () => {
    const shop = await workshop();
    const { authority, person } = shop;
    await expect(
      person.decide({ kind: 'rule.add', ids: [], body: ruleBody(authority.standing(), { kind: 'shell.run' }) }),
    ).rejects.toThrow('rules catalogue');
    const other = { is: 'host', field: '/arguments/name', host: 'example.com' } as const;
    await expect(
      person.decide({ kind: 'rule.add', ids: [], body: ruleBody(authority.standing(), { where: [other] }) }),
    ).rejects.toThrow('no field /arguments/name that host could test');
    const good = ruleBody(authority.standing(), {});
    await expect(
      person.decide({ kind: 'rule.add', ids: [], body: { ...good, text: 'Approve only tests.' } }),
    ).rejects.toThrow('other words');
    await expect(
      person.decide({ kind: 'rule.add', ids: [], body: { ...good, toolDigest: '1'.repeat(64) } }),
    ).rejects.toThrow('another one than this rule was made for');
    expect(authority.standing().rules).toEqual([]);
  });

  test('[DR-2] removing a rule sends what it approved and has not begun back to its person', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'first', 'x');
    const rule = await addRule(shop, { where: [named('b*')] });
    await put(port, 'b1', 'x');
    await put(port, 'b2', 'x');
    await shop.person.approve([shop.idOf(3)]);
    await remove(shop, rule);
    expect(shop.states(), 'what a person approved besides stays approved').toEqual({
      1: 'pending',
      2: 'pending',
      3: 'approved',
    });
    expect((await shop.authority.show(shop.idOf(2))).row.attention).toMatchObject({ kind: 'rule-gone' });
    await addRule(shop, { where: [named('b*')] });
    expect(shop.states()[2], 'another rule does not answer for a person').toBe('pending');
    await expect(remove(shop, rule)).rejects.toThrow('no such rule');
  });

  test('[DR-2] a rule counts each action once, and what it counted may begin after it is spent', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')], usesMax: 2 });
    for (const name of ['n1', 'n2', 'n3']) await put(port, name, 'x');
    expect(shop.states()).toEqual({ 1: 'pending', 2: 'approved', 3: 'approved', 4: 'pending' });
    expect(shop.authority.standing().rules).toMatchObject([{ uses: 2, usesMax: 2 }]);
    await shop.person.approve([shop.idOf(1)]);
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['wall=x', 'n1=x', 'n2=x']);
    await shop.authority.rosterChanged();
    const again = await shop.reopen();
    expect(again.authority.standing().rules, 'spent, and nothing waits for it').toEqual([]);
  });

  test('[DR-2] a rule that runs out takes its approvals back by the authority’s own clock', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')], forMs: 60_000 });
    await put(port, 'n1', 'x');
    shop.clock.advance(59_999);
    await shop.settled();
    expect(shop.states()[2]).toBe('approved');
    shop.clock.advance(1);
    await shop.settled();
    expect(shop.states()[2]).toBe('pending');
    expect(shop.authority.standing().rules).toEqual([]);
    await put(port, 'n2', 'x');
    expect(shop.states()[3]).toBe('pending');
  });

  test('[DR-2] a rule that ran out while no timer did is seen right before the intent', async () => {
    const shop = await workshop({ clock: new DeafClock() });
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')], forMs: 60_000 });
    await put(port, 'n1', 'x');
    shop.clock.advance(60_001);
    expect(shop.states()[2]).toBe('approved');
    await shop.person.approve([shop.idOf(1)]);
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['wall=x']);
    expect(shop.states()[2]).toBe('pending');
  });

  test('[DC-3] a rule that ran out while no timer did takes no approval along that a person gave besides', async () => {
    const shop = await workshop({ clock: new DeafClock() });
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')], forMs: 60_000 });
    await put(port, 'n1', 'x');
    await shop.person.approve([shop.idOf(2)]);
    shop.clock.advance(60_001);
    await shop.person.approve([shop.idOf(1)]);
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'applied', 2: 'applied' });
  });

  test('[DR-2] after a restart rules, uses and what they approved are what they were', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')], usesMax: 3 });
    await put(port, 'n1', 'x');
    const before = shop.authority.standing();
    const again = await shop.reopen();
    expect(again.authority.standing()).toEqual(before);
    expect(again.states()).toEqual({ 1: 'pending', 2: 'approved' });
    const later = await again.agent();
    await put(later, 'n2', 'x');
    await put(later, 'n3', 'x');
    await put(later, 'n4', 'x');
    expect(again.states()).toEqual({ 1: 'pending', 2: 'approved', 3: 'approved', 4: 'approved', 5: 'pending' });
  });

  test('[T4] a tool that changes voids its rules, and what they approved does not begin', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')] });
    await put(port, 'n1', 'x');
    await put(port, 'other', 'x');
    await shop.person.approve([shop.idOf(3)]);
    const swapped = shelf();
    const [surface] = swapped.pack.surfaces;
    if (surface === undefined) throw new Error('a shelf has a surface');
    Object.assign(surface, { tool: { ...surface.tool, description: 'put, and tell everybody' } });
    const again = await workshop({ journal: shop.journal, shelf: swapped, clock: shop.clock, seed: 5 });
    await again.settled();
    expect(again.authority.standing().rules).toEqual([]);
    expect(again.states()).toEqual({ 1: 'pending', 2: 'pending', 3: 'pending' });
    for (const seq of [1, 2, 3])
      expect((await again.authority.show(again.idOf(seq))).row.attention).toMatchObject({ kind: 'tool-changed' });
    const [refused] = await again.person.approve([again.idOf(3)]);
    expect(refused).toMatchObject({ result: 'refused' });
    await again.person.reject([again.idOf(1)]);
    await again.settled();
    expect(swapped.effects).toEqual([]);
    await put(await again.agent(), 'n2', 'x');
    expect(again.states()[4]).toBe('pending');
  });

  test('[T6] a rule is a signed decision: what its device did not sign makes none', async () => {
    const shop = await workshop();
    const signed = shop.person.signed({ kind: 'rule.add', ids: [], body: ruleBody(shop.authority.standing(), {}) });
    const wider = { ...signed, payload: signed.payload.replace('note.put', 'peer.ask') };
    await shop.authority.decide([wider]);
    expect(shop.authority.standing().rules).toEqual([]);
    await shop.authority.decide([signed]);
    expect(shop.authority.standing().rules).toMatchObject([{ kind: 'note.put', by: 'this program' }]);
    const doors = Object.keys(AGENT_METHODS).toSorted();
    expect(doors, 'an agent’s door has no way to decide').toEqual(['call', 'status', 'tools', 'wait', 'withdraw']);
  });

  test('[DR-2] what the ground made of it is held against the rules anew', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'wall', 'x');
    await addRule(shop, { where: [named('n*')], usesMax: 1 });
    await put(port, 'n1', 'mine');
    shop.shelf.notes.set('n1', '+theirs ');
    await shop.person.approve([shop.idOf(1)]);
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['wall=x', 'n1=+theirs mine']);
    expect(shop.authority.standing().rules.every(({ uses }) => uses === 1)).toBe(true);
  });
});
