import { describe, expect, test } from 'vitest';
import { utf8 } from '../../../src/base/bytes.ts';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import { nobleCrypto, nobleSigner } from '../../../src/crypto/noble.ts';
import type { Decision, DecisionKind, Seen } from '../../../src/model/decision.ts';
import { parseDigest } from '../../../src/model/ids.ts';
import type { SignedText } from '../../../src/model/signed-text.ts';
import { signDecision } from '../../../src/trust/decision.ts';
import { parseReceipt, type Receipt } from '../../../src/trust/receipt.ts';
import { lastingJournal } from '../../support/lasting-journal.ts';
import { get, put, workshop, WORKSHOP_SECRET, type Workshop } from '../../support/workshop.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const YEARS_MS = 10 * 365 * DAY_MS;

/** One pending note, and whoever signs for it. */
async function pending(): Promise<Workshop> {
  const made = await workshop({ journal: lastingJournal() });
  await put(await made.agent('one'), 'a', 'x');
  return made;
}

function wish(made: Workshop, kind: DecisionKind): SignedText {
  return made.person.signed({ kind, ids: [made.idOf(1)], ...(kind === 'approve' ? { body: { mode: 'rest' } } : {}) });
}

/** The same wish, signed by the same device, with something else said of what it had seen. */
function resigned({ payload }: SignedText, seen: (before: Seen) => Seen | null): SignedText {
  // reason: it was signed as a decision just now
  const decision = parseCanonical(utf8(payload)) as unknown as Decision;
  if (decision.seen === null) throw new Error('the device had seen something');
  const key = nobleSigner(
    nobleCrypto.sha256(new Uint8Array([...utf8('countersign device key|1\n'), ...WORKSHOP_SECRET])),
  );
  return signDecision(key, { ...decision, seen: seen(decision.seen) });
}

async function send({ authority }: Workshop, signed: SignedText): Promise<Receipt> {
  const [receipt] = (await authority.decide([signed])).receipts;
  const parsed = parseReceipt(parseCanonical(utf8(receipt?.payload ?? 'null')));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

const otherRoot = (seen: Seen): Seen => {
  const digest = parseDigest('ab'.repeat(32));
  if (!digest.ok) throw new Error(digest.error);
  return { ...seen, root: digest.value };
};

describe('the age of a decision', () => {
  test('[DC-5] an approval that was saved a day and more ago is asked for again, and one gesture answers it', async () => {
    const made = await pending();
    const saved = wish(made, 'approve');
    made.clock.advance(DAY_MS + 1);
    expect(await send(made, saved)).toMatchObject({
      refused: null,
      results: [{ result: 'refused', why: expect.stringContaining('24 hours') }],
    });
    await made.settled();
    expect(made.shelf.effects).toEqual([]);
    const [row] = made.authority.queue({ all: false });
    expect(row).toMatchObject({ state: 'pending', attention: { kind: 'stale' } });
    await made.person.approve([made.idOf(1)]);
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x']);
  });

  test('[DC-5] one that is a day old to the millisecond still counts', async () => {
    const made = await pending();
    const saved = wish(made, 'approve');
    made.clock.advance(DAY_MS);
    expect((await send(made, saved)).results).toMatchObject([{ result: 'received' }]);
    await made.settled();
    expect(made.shelf.effects).toEqual(['a=x']);
  });

  test('[DC-5] the age is asked for once: what was taken in time waits in its lane for as long as it takes', async () => {
    const made = await pending();
    await put(await made.agent('other'), 'b', 'x');
    await put(await made.agent('other'), 'c', 'x');
    await made.person.approve([made.idOf(3)]);
    made.clock.advance(7 * DAY_MS);
    await made.person.approve([made.idOf(2)]);
    await made.settled();
    expect(made.shelf.effects).toEqual(['b=x', 'c=x']);
  });

  test.each(['reject', 'hold'] as const)('[DC-5] a %s never expires', async (kind) => {
    const made = await pending();
    const saved = wish(made, kind);
    made.clock.advance(YEARS_MS);
    expect((await send(made, saved)).results).toMatchObject([{ result: 'received' }]);
    expect(made.states()).toEqual({ 1: kind === 'reject' ? 'rejected' : 'held' });
  });

  test('[DC-5] a revert and a retry that are too old change nothing', async () => {
    const made = await pending();
    made.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'no' });
    await made.person.approve([made.idOf(1)]);
    await made.settled();
    const retry = wish(made, 'retry');
    made.clock.advance(2 * DAY_MS);
    expect((await send(made, retry)).results).toMatchObject([{ result: 'refused' }]);
    expect(made.states()).toEqual({ 1: 'failed' });
    delete made.shelf.hooks.beforeApply;
    await made.person.decide({ kind: 'retry', ids: [made.idOf(1)] });
    await made.settled();
    const revert = wish(made, 'revert');
    made.clock.advance(2 * DAY_MS);
    expect((await send(made, revert)).results).toMatchObject([{ result: 'refused' }]);
    await made.settled();
    expect(made.shelf.notes.get('a')).toBe('x');
  });

  test('[DC-5] a device that never heard of the runtime is asked again', async () => {
    const made = await pending();
    const saved = resigned(wish(made, 'approve'), () => null);
    expect((await send(made, saved)).results).toMatchObject([{ result: 'refused' }]);
    expect(made.authority.queue({ all: false })).toMatchObject([{ attention: { kind: 'stale' } }]);
    expect(made.alarms).toEqual([]);
  });

  test('[DC-5] [T9] an approval that stands on another history is asked again, and a person is told of it', async () => {
    const made = await pending();
    const saved = resigned(wish(made, 'approve'), otherRoot);
    expect((await send(made, saved)).results).toMatchObject([
      { result: 'refused', why: expect.stringContaining('another history') },
    ]);
    await made.settled();
    expect(made.shelf.effects).toEqual([]);
    expect(made.alarms).toEqual([expect.stringContaining('decided on a history of this workspace')]);
  });

  test('[DC-5] [T9] a reject that stands on another history counts, and a person is told of it', async () => {
    const made = await pending();
    const saved = resigned(wish(made, 'reject'), (seen) => ({ ...seen, size: seen.size + 1_000 }));
    expect((await send(made, saved)).results).toMatchObject([{ result: 'received' }]);
    expect(made.states()).toEqual({ 1: 'rejected' });
    expect(made.alarms).toHaveLength(1);
  });

  test.each<[string, (seen: Seen) => Seen]>([
    ['of a run that never was', (seen) => ({ ...seen, counter: seen.counter + 2 ** 31 })],
    ['older than what it says to have seen', (seen) => ({ ...seen, atMs: seen.atMs - 1 })],
  ])('[DC-5] a heartbeat %s is not one of ours', async (_, change) => {
    const made = await pending();
    const { results } = await send(made, resigned(wish(made, 'approve'), change));
    expect(results).toMatchObject([{ result: 'refused', why: expect.stringContaining('another history') }]);
  });

  test('[DC-5] a heartbeat from before a restart is one of ours, and its age counts over the restart', async () => {
    const first = await pending();
    const [soon, late] = [wish(first, 'approve'), wish(first, 'approve')];
    await first.stop();
    first.clock.advance(DAY_MS - 1);
    const second = await first.reopen();
    expect((await send(second, soon)).results).toMatchObject([{ result: 'received' }]);
    await second.settled();
    expect(second.shelf.effects).toEqual(['a=x']);
    second.clock.advance(2);
    expect((await send(second, late)).results).toMatchObject([{ result: 'refused' }]);
    expect(second.alarms).toEqual([]);
  });

  test('[F11] a jump forward may ask again early', async () => {
    const made = await pending();
    const saved = wish(made, 'approve');
    made.clock.jump(YEARS_MS);
    expect((await send(made, saved)).results).toMatchObject([{ result: 'refused' }]);
  });

  test.each([-YEARS_MS, 0])(
    '[F11] and a clock that is put right again never lets an old one through (%i ms)',
    async (back) => {
      const first = await workshop({ journal: lastingJournal() });
      first.clock.jump(YEARS_MS);
      await put(await first.agent(), 'a', 'x');
      const saved = wish(first, 'approve');
      first.clock.jump(back);
      await get(await first.agent(), 'a');
      first.clock.advance(DAY_MS / 2);
      await put(await first.agent(), 'b', 'x');
      await first.stop();
      first.clock.advance(DAY_MS / 2 + 1);
      const second = await first.reopen();
      expect((await send(second, saved)).results).toMatchObject([{ result: 'refused' }]);
    },
  );

  test('[DC-5] what somebody has approved in time is not asked again because of one that comes late', async () => {
    const made = await pending();
    await put(await made.agent('one'), 'b', 'x');
    const late = made.person.signed({ kind: 'approve', ids: [made.idOf(2)], body: { mode: 'rest' } });
    made.clock.advance(2 * DAY_MS);
    await made.person.approve([made.idOf(2)]);
    expect((await send(made, late)).results).toMatchObject([{ result: 'refused' }]);
    expect(made.states()).toEqual({ 1: 'pending', 2: 'approved' });
  });
});
