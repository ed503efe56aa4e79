import { describe, expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { AUTHORITY_LIMITS } from '../../../src/authority/options.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { parseReceipt } from '../../../src/trust/receipt.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { put, workshop, type Workshop } from '../../support/workshop.ts';

const WHOLE = { mode: 'all-or-none' } as const;

/** Notes `a`, `b`, `c` in one lane, none of them decided. */
async function three(): Promise<Workshop> {
  const made = await workshop({ journal: lastingJournal() });
  const port = await made.agent('one');
  for (const name of ['a', 'b', 'c']) await put(port, name, 'x');
  return made;
}

function ids(made: Workshop, ...seqs: readonly number[]) {
  return seqs.map((seq) => made.idOf(seq));
}

/** One part of a gesture that is larger than one signature. */
function part(made: Workshop, index: number, of: number, ...seqs: readonly number[]): SignedText {
  return made.person.signed({
    kind: 'approve',
    ids: ids(made, ...seqs),
    body: WHOLE,
    batch: { id: 'list', index, of },
  });
}

async function send({ authority }: Workshop, ...signed: readonly SignedText[]) {
  const { receipts } = await authority.decide(signed);
  return receipts.map(({ payload }) => {
    const receipt = parseReceipt(parseCanonical(utf8(payload)));
    if (!receipt.ok) throw new Error(receipt.error);
    return receipt.value.results;
  });
}

describe('a list that counts whole or not at all', () => {
  test('[DR-11] is applied in order when nothing stands in its way', async () => {
    const made = await three();
    await made.person.decide({ kind: 'approve', ids: ids(made, 3, 1, 2), body: WHOLE });
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x', 'b=x', 'c=x']);
  });

  test('[DR-11] has no effect when the world moved under one of them, and a person sees under which', async () => {
    const made = await three();
    made.shelf.notes.set('c', 'theirs');
    const results = await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2, 3), body: WHOLE });
    expect(results.map(({ result }) => result)).toEqual(['received', 'received', 'received']);
    await made.settled();
    expect(made.shelf.effects).toEqual([]);
    expect(made.authority.queue({ all: false })).toMatchObject([
      { state: 'pending', attention: null, why: expect.stringContaining('because of #3') },
      { state: 'pending', attention: null, why: expect.stringContaining('because of #3') },
      { state: 'pending', attention: { kind: 'conflict' } },
    ]);
  });

  test('[DR-11] the rest goes on in order when a person asks for that instead', async () => {
    const made = await three();
    made.shelf.notes.set('b', 'theirs');
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2, 3), body: WHOLE });
    await made.settled();
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 3), body: { mode: 'rest' } });
    await made.settled();
    expect(made.shelf.effects, 'nothing passes what is undecided').toEqual(['a=x']);
    await made.person.reject(ids(made, 2));
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x', 'c=x']);
  });

  test('[DR-11] applied one by one, what comes before the one in the way happens', async () => {
    const made = await three();
    made.shelf.notes.set('c', 'theirs');
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2, 3), body: { mode: 'rest' } });
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x', 'b=x']);
  });

  test('[DR-11] is refused whole when one of its items cannot be approved', async () => {
    const made = await three();
    await made.person.reject(ids(made, 2));
    const results = await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2, 3), body: WHOLE });
    expect(results).toMatchObject([
      { result: 'refused', why: expect.stringContaining('because of #2') },
      { result: 'refused', why: '#2 is rejected.' },
      { result: 'refused', why: expect.stringContaining('because of #2') },
    ]);
    await made.settled();
    expect(made.states()).toEqual({ 1: 'pending', 2: 'rejected', 3: 'pending' });
  });

  test('[DR-11] what stands on another of the list is looked at in its own turn', async () => {
    const made = await workshop();
    const port = await made.agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2), body: WHOLE });
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=one', 'a=two']);
  });

  test('[DR-11] a hold that comes while it is looked over takes it back', async () => {
    const made = await three();
    let answer: (() => void) | undefined;
    made.shelf.hooks.before = (what, name) =>
      what === 'look' && name === 'a' ? new Promise((resolve) => (answer = resolve)) : Promise.resolve();
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2), body: WHOLE });
    await made.settled();
    expect(made.authority.queue({ all: false })[1]).toMatchObject({ state: 'approved', gate: { code: 'bulk' } });
    await made.person.decide({ kind: 'hold', ids: ids(made, 2) });
    delete made.shelf.hooks.before;
    answer?.();
    await made.settled();
    expect(made.states()).toEqual({ 1: 'pending', 2: 'held', 3: 'pending' });
    expect(made.shelf.effects).toEqual([]);
  });

  test('[DR-11] what somebody else approved by itself does not go back with the list', async () => {
    const made = await three();
    await made.person.decide({ kind: 'approve', ids: ids(made, 2), body: { mode: 'rest' } });
    made.shelf.notes.set('c', 'theirs');
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2, 3), body: WHOLE });
    await made.settled();
    expect(made.states()).toEqual({ 1: 'pending', 2: 'approved', 3: 'pending' });
  });

  test('[DR-11] its parts wait for each other, and say so', async () => {
    const made = await three();
    const parts = [part(made, 0, 2, 1, 2), part(made, 1, 2, 3)];
    await send(made, ...parts.slice(0, 1));
    await made.settled();
    expect(made.authority.queue({ all: false })[0]).toMatchObject({
      state: 'approved',
      gate: { code: 'bulk' },
      why: expect.stringContaining('1 of the 2 parts'),
    });
    expect(made.shelf.effects).toEqual([]);
    await send(made, ...parts.slice(1));
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x', 'b=x', 'c=x']);
  });

  test('[DR-11] a part that cannot be approved takes back those that came before it, and turns away those after it', async () => {
    const made = await three();
    await put(await made.agent('one'), 'd', 'x');
    const parts = [part(made, 0, 3, 1), part(made, 1, 3, 2, 3), part(made, 2, 3, 4)];
    await made.person.reject(ids(made, 2));
    expect(await send(made, ...parts)).toMatchObject([
      [{ result: 'received' }],
      [{ result: 'refused' }, { result: 'refused', why: expect.stringContaining('because of #2') }],
      [{ result: 'refused', why: expect.stringContaining('because of #2') }],
    ]);
    await made.settled();
    expect(made.shelf.effects).toEqual([]);
    expect(made.states()).toEqual({ 1: 'pending', 2: 'rejected', 3: 'pending', 4: 'pending' });
    const [first] = made.authority.queue({ all: false });
    expect(first?.why).toBe('Nothing of the list it was approved with was applied, because of #2: #2 is rejected.');
  });

  test('[DR-11] parts that never come take it back in time', async () => {
    const made = await three();
    await send(made, part(made, 0, 2, 1, 2));
    made.clock.advance(AUTHORITY_LIMITS.restMsMax);
    await made.settled();
    expect(made.authority.queue({ all: false })[0]).toMatchObject({
      state: 'pending',
      why: expect.stringContaining('did not arrive'),
    });
    await made.person.approve(ids(made, 1));
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x']);
    expect((await made.authority.show(made.idOf(1))).row.why).toBeNull();
  });

  test('[DR-11] is looked over again after a crash, whatever was reached before it', async () => {
    const first = await three();
    first.shelf.hooks.before = (what) => (what === 'look' ? new Promise(() => undefined) : Promise.resolve());
    await first.person.decide({ kind: 'approve', ids: ids(first, 1, 2, 3), body: WHOLE });
    await first.settled();
    delete first.shelf.hooks.before;
    first.shelf.notes.set('c', 'theirs');
    const second = await first.reopen();
    await second.settled();
    expect(second.shelf.effects).toEqual([]);
    expect(second.states()).toEqual({ 1: 'pending', 2: 'pending', 3: 'pending' });
  });

  test('[DR-11] leaves nothing behind in the journal', async () => {
    const made = await three();
    await made.person.decide({ kind: 'approve', ids: ids(made, 1, 2, 3), body: WHOLE });
    await made.settled();
    const kept = made.journal.liveRecords('meta').filter(({ key }) => key.startsWith('bulk/'));
    expect(kept).toEqual([]);
  });
});

describe('a look that hangs', () => {
  test('[DR-11] holds up no list of another lane, and none of its own goes past it', async () => {
    const { agent, clock, idOf, person, settled, shelf, states } = await workshop();
    const [one, two] = [await agent('one'), await agent('two')];
    for (const name of ['a', 'b', 'c', 'd']) await put(one, name, 'x');
    for (const name of ['e', 'f']) await put(two, name, 'x');
    shelf.hooks.before = (what, name) =>
      what === 'look' && name === 'a' ? new Promise<void>(() => undefined) : Promise.resolve();
    const whole = (...seqs: readonly number[]) =>
      person.decide({ kind: 'approve', ids: seqs.map(idOf), body: { mode: 'all-or-none' } });
    await whole(1, 2);
    await whole(3, 4);
    await whole(5, 6);
    await settled();
    expect(states()).toMatchObject({ 1: 'approved', 2: 'approved', 5: 'applied', 6: 'applied' });
    expect(shelf.effects).toEqual(['e=x', 'f=x']);
    delete shelf.hooks.before;
    clock.advance(AUTHORITY_LIMITS.lookMsMax);
    await settled();
    expect(states(), 'the first list was given back').toMatchObject({ 1: 'pending', 2: 'pending', 3: 'approved' });
    expect(shelf.effects).toEqual(['e=x', 'f=x']);
  });
});
