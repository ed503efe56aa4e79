import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../src/authority/ports.ts';
import { get, workshop, put } from '../../support/workshop.ts';
import { tracker } from '../../support/tracker-surface.ts';

const answered = (text: string, more: Partial<Extract<Outcome, { type: 'applied' }>> = {}): Outcome => ({
  type: 'applied',
  evidence: { ticket: 'T-1' },
  drift: null,
  result: { content: [{ type: 'text', text }] },
  ...more,
});

/** One ticket that was simulated and approved, with what applying it answered. */
async function opened(answer?: Outcome) {
  const far = tracker();
  const room = await workshop({ packs: [far.pack] });
  const port = await room.agent('one');
  if (answer !== undefined) far.hooks.answer = () => answer;
  await port.call({ tool: 'open_ticket', arguments: { title: 'Broken' }, callId: null });
  await room.person.approve([room.idOf(1)]);
  await room.settled();
  const [row] = room.authority.queue({ all: true });
  return { ...room, port, row };
}

describe('what was simulated, and what came of it', () => {
  test('[SM-5] a reference that got its real name is no drift', async () => {
    const { port, row } = await opened();
    expect(row).toMatchObject({ state: 'applied', why: null });
    expect((await get(port, 'x')).notices).toEqual([]);
  });

  test('[SM-5] an answer that is not the simulated one is recorded, shown, and told once, also after a restart', async () => {
    const room = await opened(answered('You have 3 tickets now'));
    const why = 'It answered something else than was simulated.';
    expect(room.row).toMatchObject({ state: 'applied', why });
    const { action } = await room.authority.show(room.idOf(1));
    expect(action).toMatchObject({ applied: { drift: why } });
    const after = await room.reopen();
    const port = await after.agent('one');
    const first = await get(port, 'x');
    expect(first.notices).toEqual([
      expect.stringContaining('#1 "open_ticket" was applied, but what came of it is not'),
    ]);
    expect(first.notices[0]).toContain(why);
    expect((await get(port, 'x')).notices).toEqual([]);
    expect(after.authority.queue({ all: true })[0]).toMatchObject({ why });
  });

  test('[SM-5] what the surface found in place of what was put into the overlay is named', async () => {
    const same = { resource: 'ticket:T-1', value: { title: 'Broken' } };
    const fine = await opened(answered('T-1', { actual: [same] }));
    expect(fine.row).toMatchObject({ why: null });
    const other = await opened(answered('T-1', { actual: [{ ...same, value: { title: 'broken' } }] }));
    expect(other.row).toMatchObject({ why: 'It left something else than was simulated: ticket:T-1.' });
  });

  test('[SM-5] a surface’s own word of drift is kept beside what was compared', async () => {
    const { row } = await opened(answered('Made', { drift: 'It was filed under another name.' }));
    expect(row).toMatchObject({
      why: 'It was filed under another name. It answered something else than was simulated.',
    });
  });

  test('[SM-5] what was never simulated has no drift', async () => {
    const { agent, person, settled, idOf, authority } = await workshop();
    const port = await agent();
    await port.call({ tool: 'ask', arguments: { question: 'why' }, callId: null });
    await put(port, 'a', 'one');
    await person.approve([idOf(1), idOf(2)]);
    await settled();
    expect(authority.queue({ all: true }).map(({ why }) => why?.includes('simulated') ?? false)).toEqual([
      false,
      false,
    ]);
    expect((await get(port, 'a')).notices).toEqual([]);
  });
});
