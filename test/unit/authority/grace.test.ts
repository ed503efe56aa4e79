import { describe, expect, test } from 'vitest';
import type { AgentPort } from '../../../src/model/agent-port.ts';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const { graceMs } = AUTHORITY_LIMITS;
const YEARS_MS = 10 * 365 * 24 * 60 * 60 * 1_000;

function ask(port: AgentPort, question: string) {
  return port.call({ tool: 'ask', arguments: { question }, callId: null });
}

/** An approved question: it cannot be unasked, so its grace period runs. */
async function asked(): Promise<Workshop> {
  const made = await workshop({ journal: lastingJournal() });
  await ask(await made.agent(), 'why');
  await made.person.approve([made.idOf(1)]);
  await made.settled();
  return made;
}

describe('grace', () => {
  test('[DR-5] what cannot be undone waits its grace period, and shows until when', async () => {
    const { authority, clock, idOf, settled, shelf, states } = await asked();
    const [row] = authority.queue({ all: false });
    expect(row).toMatchObject({ state: 'approved', gate: { code: 'grace', untilMs: clock.nowMs() + graceMs } });
    expect(row?.why).toContain('cannot be undone');
    clock.advance(graceMs - 1);
    await settled();
    expect(shelf.effects).toEqual([]);
    clock.advance(1);
    await settled();
    expect(shelf.effects).toEqual(['ask why']);
    expect(states()).toEqual({ 1: 'applied' });
    expect((await authority.show(idOf(1))).row.gate).toBeNull();
  });

  test('[DR-5] what can be reverted waits for nothing', async () => {
    const { agent, idOf, person, settled, shelf } = await workshop();
    await put(await agent(), 'a', 'x');
    await person.approve([idOf(1)]);
    await settled();
    expect(shelf.effects).toEqual(['a=x']);
  });

  test.each(['retract', 'hold', 'reject'] as const)('[DR-5] a %s within it means no effect, ever', async (kind) => {
    const { clock, idOf, person, settled, shelf } = await asked();
    clock.advance(graceMs - 1);
    expect(await person.decide({ kind, ids: [idOf(1)] })).toMatchObject([{ result: 'received' }]);
    clock.advance(10 * graceMs);
    await settled();
    expect(shelf.effects).toEqual([]);
  });

  test('[DR-5] an approval that is given again waits in full again', async () => {
    const { clock, idOf, person, settled, shelf } = await asked();
    clock.advance(graceMs - 1);
    await person.decide({ kind: 'retract', ids: [idOf(1)] });
    await person.approve([idOf(1)]);
    clock.advance(graceMs - 1);
    await settled();
    expect(shelf.effects).toEqual([]);
    clock.advance(1);
    await settled();
    expect(shelf.effects).toEqual(['ask why']);
  });

  test('[DR-5] it runs from the approval on, and not from the turn in the lane', async () => {
    const { agent, clock, idOf, person, settled, shelf } = await workshop();
    const port = await agent();
    await ask(port, 'first');
    await ask(port, 'second');
    await person.approve([idOf(2)]);
    clock.advance(graceMs);
    await person.approve([idOf(1)]);
    clock.advance(graceMs - 1);
    await settled();
    expect(shelf.effects).toEqual([]);
    clock.advance(1);
    await settled();
    expect(shelf.effects).toEqual(['ask first', 'ask second']);
  });

  test('[DR-5] a restart begins it anew, in full', async () => {
    const first = await asked();
    first.clock.advance(graceMs - 1);
    await first.stop();
    const { clock, settled, shelf } = await first.reopen();
    clock.advance(graceMs - 1);
    await settled();
    expect(shelf.effects).toEqual([]);
    clock.advance(1);
    await settled();
    expect(shelf.effects).toEqual(['ask why']);
  });

  test.each([YEARS_MS, -YEARS_MS])('[F11] [T15] no jump of the wall clock shortens it (%i ms)', async (jumpMs) => {
    const { clock, settled, shelf } = await asked();
    clock.advance(graceMs / 2);
    clock.jump(jumpMs);
    clock.advance(graceMs / 2 - 1);
    await settled();
    expect(shelf.effects).toEqual([]);
    clock.advance(1);
    await settled();
    expect(shelf.effects, 'and none makes it longer').toEqual(['ask why']);
  });

  test('[F11] the order of what happened stays, whatever is done to the wall clock', async () => {
    const { agent, clock, idOf, journal, person, settled, shelf } = await workshop();
    const port = await agent();
    for (const [turn, jumpMs] of [YEARS_MS, -2 * YEARS_MS, 3 * YEARS_MS, -YEARS_MS].entries()) {
      await put(port, `note ${turn}`, 'x');
      clock.jump(jumpMs);
      await person.approve([idOf(turn + 1)]);
      await settled();
    }
    const times = journal.rows(1, 1_000).map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(shelf.effects).toEqual([0, 1, 2, 3].map((turn) => `note ${turn}=x`));
  });

  test('[F11] a clock that was set back is as far behind after a restart, so that nothing seems younger', async () => {
    const first = await workshop({ journal: lastingJournal() });
    first.clock.jump(YEARS_MS);
    await put(await first.agent(), 'a', 'x');
    first.clock.jump(-YEARS_MS);
    await put(await first.agent(), 'b', 'x');
    await first.stop();
    const stoppedAtMs = first.journal.rows(first.journal.head().seq, 1)[0]?.atMs ?? 0;
    first.clock.advance(60_000);
    const { agent, journal } = await first.reopen();
    await put(await agent(), 'c', 'x');
    expect(journal.rows(journal.head().seq, 1)[0]?.atMs).toBeGreaterThanOrEqual(stoppedAtMs + 60_000);
  });
});
