import { describe, expect, test } from 'vitest';
import type { Core } from '../../../src/authority/core.ts';
import { valueOf } from '../../../src/authority/resolve.ts';
import { ACTION_STATES } from '../../../src/model/action.ts';
import type { AgentPort, CallAnswer } from '../../../src/model/agent-port.ts';
import { parseReference, printReference } from '../../../src/model/reference.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import { tracker, type Tracker } from '../../support/tracker-surface.ts';
import { inState } from '../model/make-action.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const call = (port: AgentPort, tool: string, args: Record<string, string>): Promise<CallAnswer> =>
  port.call({ tool, arguments: args, callId: null });

const textOf = (answer: CallAnswer): string => {
  const block = 'result' in answer ? answer.result.content[0] : undefined;
  return block?.type === 'text' ? block.text : JSON.stringify(answer);
};

interface Room extends Workshop {
  readonly tracker: Tracker;
  readonly port: AgentPort;
  /** What opening ticket `#1` answered: a reference. */
  readonly ticket: string;
}

/** A ticket that is still to be opened, and a comment that names it in two places. */
async function commented(said = (ticket: string) => `See ${ticket}.`): Promise<Room> {
  const far = tracker();
  const room = await workshop({ packs: [far.pack] });
  const port = await room.agent('one');
  const ticket = textOf(await call(port, 'open_ticket', { title: 'Broken' }));
  await call(port, 'comment', { ticket, text: said(ticket) });
  return { ...room, tracker: far, port, ticket };
}

const rowOf = (room: Workshop, seq: number) => room.authority.queue({ all: true }).find((row) => row.seq === seq);

describe('references to what is still to be made', () => {
  test('[SM-4] a simulated create answers a reference, and what carries it needs what makes it', async () => {
    const room = await commented();
    const parsed = parseReference(room.ticket);
    expect(parsed).toEqual({ ok: true, value: { output: 'ticket', maker: room.idOf(1) } });
    expect(rowOf(room, 2)?.needs).toEqual([room.idOf(1)]);
    expect(textOf(await call(room.port, 'get_ticket', { ticket: room.ticket }))).toBe('Broken');
  });

  test('[SM-4] the declared output of the applied maker takes its place, in values and in texts, and the intent says so', async () => {
    const room = await commented();
    await room.person.approve([room.idOf(1), room.idOf(2)]);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect(room.tracker.tickets.get('T-1')).toEqual({ title: 'Broken', comments: ['See T-1.'] });
    expect(room.tracker.received.join('\n')).not.toContain('countersign:ref:');
    const { action } = await room.authority.show(room.idOf(2));
    expect(action.resolved?.values).toEqual([{ reference: room.ticket, value: 'T-1' }]);
    expect(action.resolved?.content).toMatchObject({ effect: { ticket: 'T-1' }, writes: ['ticket:T-1'] });
    expect(action.resolved?.digest).not.toBe(action.digest);
    expect(action.content.effect['ticket'], 'what was countersigned stays what it was').toBe(room.ticket);
    expect(rowOf(room, 2)?.why).toBe(`${room.ticket} is T-1.`);
  });

  test('[SM-4] a long text, kept beside its action, is resolved byte for byte', async () => {
    const long = 'x'.repeat(5_000);
    const room = await commented((ticket) => `${long}${ticket}${ticket}${long}`);
    await room.person.approve([room.idOf(1), room.idOf(2)]);
    await room.settled();
    expect(room.tracker.tickets.get('T-1')?.comments).toEqual([`${long}T-1T-1${long}`]);
  });

  test('[SM-4] the approval of what carries it waits for the maker, and falls with it', async () => {
    const room = await commented();
    await room.person.approve([room.idOf(2)]);
    await room.settled();
    expect(room.states(), 'nothing begins before the maker is applied').toEqual({ 1: 'pending', 2: 'approved' });
    await room.person.reject([room.idOf(1)]);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'rejected', 2: 'rejected' });
    expect(room.tracker.received).toEqual([]);
    const again = await call(room.port, 'comment', { ticket: room.ticket, text: 'still there?' });
    expect(again).toMatchObject({ type: 'refused', why: expect.stringContaining('#1 was rejected') });
  });

  test.each([
    ['another field only', (id: string) => ({ other: id })],
    ['nothing', () => ({})],
    ['another reference', () => ({ ticket: printReference({ output: 'ticket', maker: MAKER }) })],
    ['an object', () => ({ ticket: { id: 'T-1' } })],
  ])('[SM-4] a maker that says %s of what it made leaves it to a person, and nothing leaves', async (_, evidence) => {
    const room = await commented();
    room.tracker.hooks.answer = (id) => ({ type: 'applied', evidence: evidence(id), drift: null });
    await room.person.approve([room.idOf(1), room.idOf(2)]);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(rowOf(room, 2)?.attention).toMatchObject({
      kind: 'conflict',
      why: '#1 was applied, but did not say which ticket it made.',
    });
    expect(room.tracker.tickets.get('T-1')?.comments).toEqual([]);
  });

  test('[SM-4] a person’s word that it happened names nothing: what carries it is not sent', async () => {
    const room = await commented();
    room.tracker.hooks.answer = () => ({ type: 'in-doubt', why: 'The line broke.' });
    await room.person.approve([room.idOf(1), room.idOf(2)]);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'in-doubt', 2: 'approved' });
    await room.person.decide({ kind: 'settle', ids: [room.idOf(1)], body: { answer: 'happened', attempt: 1 } });
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'pending' });
    expect(room.tracker.tickets.get('T-1')?.comments).toEqual([]);
  });

  test('[SM-4] after a restart between maker and carrier the carrier gets the real name', async () => {
    const room = await commented();
    await room.person.approve([room.idOf(1)]);
    await room.settled();
    const after = await room.reopen();
    await after.person.approve([after.idOf(2)]);
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect(room.tracker.tickets.get('T-1')?.comments).toEqual(['See T-1.']);
    await after.stop();
  });

  test('[SM-4] a crash after the ticket was opened: the probe finds its name, and the carrier gets it', async () => {
    const room = await commented();
    room.tracker.hooks.afterOpen = () => new Promise(() => undefined);
    await room.person.approve([room.idOf(1), room.idOf(2)]);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applying', 2: 'approved' });
    delete room.tracker.hooks.afterOpen;
    const after = await room.reopen();
    await after.settled();
    expect(after.states()).toEqual({ 1: 'applied', 2: 'applied' });
    expect(room.tracker.tickets.size).toBe(1);
    expect(room.tracker.tickets.get('T-1')?.comments).toEqual(['See T-1.']);
    await after.stop();
  });

  test('[SM-4] once it is made, the agent’s reference reads it, and a new call carries its real name', async () => {
    const room = await commented();
    await room.person.approve([room.idOf(1), room.idOf(2)]);
    await room.settled();
    expect(textOf(await call(room.port, 'get_ticket', { ticket: room.ticket }))).toBe('Broken');
    await call(room.port, 'comment', { ticket: room.ticket, text: 'More.' });
    const { action } = await room.authority.show(room.idOf(3));
    expect(action.content).toMatchObject({ arguments: { ticket: 'T-1' }, effect: { ticket: 'T-1' } });
    expect(action.needs).toEqual([]);
  });

  test('[CP-2] the same call again, while the maker was applied in between, is the same action', async () => {
    const room = await commented();
    await room.person.approve([room.idOf(1)]);
    await room.settled();
    const again = await call(room.port, 'comment', { ticket: room.ticket, text: `See ${room.ticket}.` });
    expect(again).toMatchObject({ type: 'simulated', seq: 2 });
    expect(Object.keys(room.states())).toHaveLength(2);
  });

  test('[SM-4] a reference that this session did not make, or that nothing declares, is refused', async () => {
    const room = await commented();
    const other = await room.agent('two');
    const refused = { type: 'refused', code: 'bad-input' };
    expect(await call(other, 'comment', { ticket: room.ticket, text: 'x' })).toMatchObject(refused);
    const wrong = printReference({ output: 'owner', maker: room.idOf(1) });
    expect(await call(room.port, 'comment', { ticket: wrong, text: 'x' })).toMatchObject(refused);
    const unknown = printReference({ output: 'ticket', maker: MAKER });
    expect(await put(room.port, 'note', unknown)).toMatchObject(refused);
    expect(await call(room.port, 'get_ticket', { ticket: unknown })).toMatchObject(refused);
    expect(await call(room.port, 'comment', { ticket: 'T-9', [room.ticket]: 'x', text: 'x' })).toMatchObject(refused);
    expect(Object.keys(room.states())).toHaveLength(2);
  });

  test('[SM-4] one surface’s reference in another one’s text is resolved, too, and its revert puts back what was there', async () => {
    const room = await commented();
    await put(room.port, 'note', `Tracked as ${room.ticket}`);
    await put(room.port, 'note', `Tracked as ${room.ticket}, today`);
    const all = [1, 2, 3, 4].map((seq) => room.idOf(seq));
    await room.person.approve(all);
    await room.settled();
    expect(room.states()).toEqual({ 1: 'applied', 2: 'applied', 3: 'applied', 4: 'applied' });
    expect(room.shelf.effects).toEqual(['note=Tracked as T-1', 'note=Tracked as T-1, today']);
    await room.person.decide({ kind: 'revert', ids: [room.idOf(4)] });
    await room.settled();
    expect(room.shelf.notes.get('note')).toBe('Tracked as T-1');
  });
});

describe('what may take the place of a reference', () => {
  // reason: nothing but an applied maker is asked for anything else of the core
  const nothing = undefined as unknown as Core;

  test('[SM-4] what begins to be taken back while what names it is looked at is given to nobody', async () => {
    const far = tracker();
    const room = await workshop({ packs: [far.pack] });
    const ticket = textOf(await call(await room.agent('one'), 'open_ticket', { title: 'Broken' }));
    await room.person.approve([room.idOf(1)]);
    await room.settled();
    // A text of the world that happens to hold it makes no edge.
    const [note] = room.shelf.pack.surfaces;
    const described = note?.describe.bind(note);
    const headed: typeof described = async (args, overlay) => {
      const made = await described?.(args, overlay);
      if (made === undefined) throw new Error('a note is described');
      return { ...made, effect: { ...made.effect, header: ticket } };
    };
    Object.assign(note ?? {}, { describe: headed });
    await put(await room.agent('two'), 'a', 'x');
    let goOn = (): void => undefined;
    room.shelf.hooks.before = (what) =>
      what === 'look' ? new Promise((resolve) => (goOn = resolve)) : Promise.resolve();
    await room.person.approve([room.idOf(2)]);
    await room.settled();
    Object.assign(far.pack.surfaces[0] ?? {}, { revert: () => new Promise(() => undefined) });
    await room.person.decide({ kind: 'revert', ids: [room.idOf(1)] });
    delete room.shelf.hooks.before;
    goOn();
    await room.settled();
    expect(room.states()).toEqual({ 1: 'reverting', 2: 'pending' });
    expect(rowOf(room, 2)?.attention?.why).toContain('has no name yet: it is reverting');
    expect(room.shelf.effects).toEqual([]);
  });

  test.each(ACTION_STATES.filter((state) => state !== 'applied'))('[SM-4] nothing of an action that is %s', (state) => {
    expect(valueOf(nothing, inState(state), 'ticket')).toMatchObject({ ok: false });
  });
});

const MAKER = 'a-aaaaaaaaaaaaaaaaaaaaaaaaaa' as ActionId;
