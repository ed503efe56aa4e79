import { describe, expect, test } from 'vitest';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const pause = ({ person }: Workshop, session?: string) =>
  person.decide({ kind: 'pause', ids: [], ...(session === undefined ? {} : { body: { session } }) });
const resume = ({ person }: Workshop, session?: string) =>
  person.decide({ kind: 'resume', ids: [], ...(session === undefined ? {} : { body: { session } }) });

describe('pauses', () => {
  test('[DR-10] a pause stops the workspace and decides nothing; proposals go on being queued', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'a', 'x');
    await pause(shop);
    await shop.person.approve([shop.idOf(1)]);
    expect(await put(port, 'b', 'x')).toMatchObject({ type: 'simulated', seq: 2 });
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'approved', 2: 'pending' });
    const { row } = await shop.authority.show(shop.idOf(1));
    expect(row).toMatchObject({
      gate: { code: 'paused', untilMs: null },
      why: 'The workspace is paused by this program.',
    });
    await resume(shop);
    await shop.settled();
    expect(shop.shelf.effects).toEqual(['a=x']);
  });

  test('[DR-10] one session is paused, others go on', async () => {
    const shop = await workshop();
    const one = await shop.agent('one');
    const two = await shop.agent('two');
    await put(one, 'a', 'x');
    await put(two, 'b', 'x');
    const session = (await shop.authority.show(shop.idOf(1))).row.session;
    await pause(shop, session);
    await shop.person.approve([shop.idOf(1), shop.idOf(2)]);
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'approved', 2: 'applied' });
    await expect(resume(shop), 'the workspace is not paused').rejects.toThrow('not paused');
    await resume(shop, session);
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'applied', 2: 'applied' });
  });

  test('[DR-10] a pause outlives a restart, and a session nobody knows cannot be paused', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'a', 'x');
    await pause(shop);
    await pause(shop);
    expect(shop.authority.standing().pauses, 'twice is once').toHaveLength(1);
    await expect(pause(shop, `s-${'z'.repeat(26)}`)).rejects.toThrow('no such session');
    await shop.person.approve([shop.idOf(1)]);
    const again = await shop.reopen();
    await again.settled();
    expect(again.states()).toEqual({ 1: 'approved' });
    await resume(again);
    await again.settled();
    expect(again.shelf.effects).toEqual(['a=x']);
  });

  test('[DR-10] a pause that comes while the world is looked at stops the effect', async () => {
    const shop = await workshop();
    const port = await shop.agent();
    await put(port, 'a', 'x');
    const [surface] = shop.shelf.pack.surfaces;
    if (surface === undefined) throw new Error('a shelf has a surface');
    let looked: () => void = () => undefined;
    const look = new Promise<void>((resolve) => {
      looked = resolve;
    });
    Object.assign(surface, {
      look: async () => {
        await look;
        return { type: 'ready' };
      },
    });
    await shop.person.approve([shop.idOf(1)]);
    await shop.settled();
    await pause(shop);
    looked();
    await shop.settled();
    expect(shop.states()).toEqual({ 1: 'approved' });
    expect(shop.shelf.effects).toEqual([]);
  });
});
