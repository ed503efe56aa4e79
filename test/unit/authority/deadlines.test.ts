import { describe, expect, test } from 'vitest';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import type { Shelf } from '../../support/shelf-surface.ts';
import { put, workshop } from '../../support/workshop.ts';

const { lookMsMax } = AUTHORITY_LIMITS;
const NEVER = new Promise<never>(() => undefined);

/** From now on, this question is never answered. */
function hang(shelf: Shelf, question: string): void {
  shelf.hooks.before = (what) => (what === question ? NEVER : Promise.resolve());
}

describe('a surface that does not answer', () => {
  test.each(['describe', 'simulate'])(
    '[EF-4] at %s: the call is refused in time, and the next one is not held up',
    async (what) => {
      const { agent, clock, settled, shelf, states } = await workshop();
      const port = await agent();
      hang(shelf, what);
      const asked = put(port, 'a', 'x');
      await settled();
      clock.advance(lookMsMax);
      expect(await asked).toMatchObject({ type: 'refused', why: expect.stringContaining('did not answer') });
      expect(states()).toEqual({});
      delete shelf.hooks.before;
      expect(await put(port, 'b', 'x')).toMatchObject({ type: 'simulated' });
    },
  );

  test('[EF-4] at a look: it counts as moved, a person sees why, and other lanes go on', async () => {
    const { agent, authority, clock, idOf, person, settled, shelf, states } = await workshop();
    await put(await agent('one'), 'a', 'x');
    await put(await agent('two'), 'b', 'x');
    shelf.hooks.before = (what, name) => (name === 'a' && what !== 'describe' ? NEVER : Promise.resolve());
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(states()).toEqual({ 1: 'approved', 2: 'applied' });
    clock.advance(lookMsMax);
    await settled();
    clock.advance(lookMsMax);
    await settled();
    expect(authority.queue({ all: false })).toMatchObject([
      { state: 'pending', attention: { kind: 'conflict', why: expect.stringContaining('did not answer') } },
    ]);
    expect(shelf.effects).toEqual(['b=x']);
  });

  test('[EF-4] at a look: an end waits for it no longer than that', async () => {
    const { agent, clock, idOf, person, settled, shelf, stop } = await workshop();
    await put(await agent(), 'a', 'x');
    shelf.hooks.before = () => NEVER;
    await person.approve([idOf(1)]);
    await settled();
    let stopped = false;
    const stopping = stop().then(() => (stopped = true));
    await settled();
    expect(stopped).toBe(false);
    clock.advance(lookMsMax);
    await settled();
    clock.advance(lookMsMax);
    await stopping;
    expect(stopped).toBe(true);
    expect(shelf.effects).toEqual([]);
  });

  test('[EF-4] whether it could be reverted: it is not offered', async () => {
    const { agent, authority, clock, idOf, person, settled, shelf } = await workshop();
    await put(await agent(), 'a', 'x');
    await person.approve([idOf(1)]);
    await settled();
    hang(shelf, 'canRevert');
    const shown = authority.show(idOf(1));
    for (let asks = 0; asks < 2; asks++) {
      await settled();
      clock.advance(lookMsMax);
    }
    expect((await shown).revertable).toMatchObject({ feasible: false, why: expect.stringContaining('did not answer') });
  });
});
