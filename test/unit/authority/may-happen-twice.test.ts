import { describe, expect, test } from 'vitest';
import { canonicalBytes, parseCanonical } from '../../../src/base/canonical-json.ts';
import { nodeCrypto } from '../../../src/crypto/node.ts';
import type { Action, ActionState } from '../../../src/model/action.ts';
import { step } from '../../../src/model/lifecycle.ts';
import type { AcceptedStance } from '../../../src/model/ruling.ts';
import { makeRow } from '../../../src/trust/journal-row.ts';
import { post } from '../../support/post-surface.ts';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';

const TICK = { mayHappenTwice: true } as const;
const NEEDS_YES = [{ result: 'refused', why: expect.stringContaining('may happen twice') }];

const stateOf = ({ authority }: PublishLab): ActionState | undefined => authority.queue({ all: true })[0]?.state;

/** A letter both devices had approved; what became of it nobody knows, a person gave it up for lost and tries it again. */
async function triedAgain({ by = 'both' }: { readonly by?: 'both' | 'tablet' } = {}) {
  const world = post({ effectClass: 'E3' });
  world.way.back = async () => ({ type: 'in-doubt', why: 'The line is dead.' });
  world.way.asked = async () => ({ answer: 'unknown', why: 'The line is dead.' });
  const lab = await publishLab({ shelf: world });
  await (await lab.agent()).call({ tool: 'send', arguments: { text: 'one' }, callId: null });
  const ids = [lab.idOf(1)];
  await lab.phone.decide({ kind: 'pause', ids: [] });
  await lab.tablet.approve(ids);
  if (by === 'both') await lab.phone.approve(ids);
  await lab.phone.decide({ kind: 'resume', ids: [], body: {} });
  await lab.settled();
  expect(stateOf(lab)).toBe('in-doubt');
  await lab.phone.decide({ kind: 'settle', ids, body: { answer: 'did-not', attempt: 1 } });
  await lab.phone.decide({ kind: 'pause', ids: [] });
  await lab.phone.decide({ kind: 'retry', ids, body: TICK });
  expect(stateOf(lab)).toBe('approved');
  return { lab, ids, world };
}

/** The tablet's approval stands, and that version made of it what it made of any other. */
async function approvedByVersionOne({ idOf, tablet, world: { clock, journal } }: PublishLab): Promise<void> {
  const { order, value } = journal.record('action', idOf(1))!;
  // reason: records of this table are actions
  const action = parseCanonical(value) as unknown as Action;
  // reason: records of this table are stances
  const stances = parseCanonical(journal.record('stance', idOf(1))!.value) as unknown as readonly AcceptedStance[];
  const { device, n } = stances.find((stance) => stance.device === tablet.id)!;
  const by = { type: 'decision', device, n } as const;
  const stepped = step(action, { kind: 'approved', by }, clock.nowMs());
  if (!stepped.ok) throw new Error(stepped.why);
  const body = { kind: 'approved', by, action: action.id, n: action.seq, digest: action.digest } as const;
  const made = makeRow(nodeCrypto.sha256, journal.head(), { body, atMs: clock.nowMs(), salt: '00'.repeat(16) });
  const record = { table: 'action', key: action.id, order, live: true, value: canonicalBytes(stepped.action) } as const;
  await journal.commit({ rows: [made], puts: [record], drops: [], blobs: [] });
}

type Tried = Awaited<ReturnType<typeof triedAgain>>;

/** Whatever takes the yes away, and leaves the action undecided. */
const TAKEN_BACK: readonly (readonly [string, (tried: Tried) => Promise<unknown>])[] = [
  ['it is taken back', ({ lab, ids }) => lab.phone.decide({ kind: 'retract', ids })],
  [
    'it is held and released',
    async ({ lab, ids }) => {
      await lab.tablet.decide({ kind: 'hold', ids });
      expect(await lab.tablet.approve(ids)).toMatchObject(NEEDS_YES);
      await lab.tablet.decide({ kind: 'release', ids });
    },
  ],
  ['its device is removed', ({ lab }) => lab.remove(lab.phone.id)],
];

describe('what may happen twice', () => {
  test.each(TAKEN_BACK)('[EF-6] begins by no plain approval after %s', async (_, takeBack) => {
    const tried = await triedAgain();
    const { ids, lab, world } = tried;
    await takeBack(tried);
    expect(stateOf(lab), 'the other device approved an earlier attempt').toBe('pending');
    await lab.tablet.decide({ kind: 'resume', ids: [], body: {} });
    expect(await lab.tablet.approve(ids)).toMatchObject(NEEDS_YES);
    expect(await lab.tablet.decide({ kind: 'retry', ids })).toMatchObject(NEEDS_YES);
    await lab.settled();
    expect(world.letters).toHaveLength(1);
    expect(lab.actions()).toMatchObject([{ state: 'pending', mayHappenTwice: true }]);
    expect(lab.authority.queue({ all: true })).toMatchObject([{ mayHappenTwice: true }]);
    expect(await lab.tablet.decide({ kind: 'retry', ids, body: TICK })).toMatchObject([{ result: 'received' }]);
    await lab.settled();
    expect(world.letters).toHaveLength(2);
  });

  test('[EF-6] a restart forgets neither', async () => {
    const { ids, lab } = await triedAgain();
    await lab.phone.decide({ kind: 'retract', ids });
    const after = await lab.crashed();
    expect(stateOf(after)).toBe('pending');
    expect(await after.phone.approve(ids)).toMatchObject(NEEDS_YES);
    expect(await after.phone.decide({ kind: 'retry', ids, body: TICK })).toMatchObject([{ result: 'received' }]);
  });

  test('[DC-2] a yes that comes after its device has taken it back is the older word, and begins nothing', async () => {
    const { ids, lab, world } = await triedAgain();
    const yes = lab.phone.signed({ kind: 'retry', ids, body: TICK });
    await lab.phone.decide({ kind: 'retract', ids });
    await lab.authority.decide([yes]);
    expect(stateOf(lab)).toBe('pending');
    await lab.tablet.decide({ kind: 'resume', ids: [], body: {} });
    await lab.settled();
    expect(world.letters).toHaveLength(1);
    expect(await lab.phone.decide({ kind: 'retry', ids, body: TICK }), 'a newer one counts').toMatchObject([
      { result: 'received' },
    ]);
  });

  test('[EF-6] it needs that yes again after another attempt that failed for certain', async () => {
    const { ids, lab, world } = await triedAgain();
    world.way.there = async () => ({ type: 'failed', why: 'The post office is closed.' });
    await lab.phone.decide({ kind: 'resume', ids: [], body: {} });
    await lab.settled();
    expect(lab.actions()).toMatchObject([{ state: 'failed', mayHappenTwice: true }]);
    expect(await lab.phone.decide({ kind: 'retry', ids })).toMatchObject(NEEDS_YES);
  });

  test('[EF-6] an approval that version 1 took in its place does not begin it', async () => {
    const { ids, lab, world } = await triedAgain();
    await lab.phone.decide({ kind: 'retract', ids });
    await approvedByVersionOne(lab);
    const after = await lab.crashed();
    expect(stateOf(after)).toBe('approved');
    await after.phone.decide({ kind: 'resume', ids: [], body: {} });
    await after.settled();
    expect(after.actions()).toMatchObject([{ state: 'pending', mayHappenTwice: true }]);
    expect(world.letters).toHaveLength(1);
    await after.phone.decide({ kind: 'retry', ids, body: TICK });
    await after.settled();
    expect(world.letters).toHaveLength(2);
  });

  test('[EF-6] [DC-12] the yes answers what was raised since, or none of it', async () => {
    const { ids, lab } = await triedAgain();
    const seen = lab.tablet.signed({ kind: 'retry', ids, body: TICK });
    const after = await lab.crashed({ fence: 2 });
    expect(lab.authority.queue({ all: true })).toMatchObject([{ state: 'approved' }]);
    expect(after.authority.queue({ all: true })).toMatchObject([{ state: 'pending', attention: { kind: 'stale' } }]);
    await after.authority.decide([seen]);
    expect(stateOf(after)).toBe('pending');
    await after.phone.decide({ kind: 'retry', ids, body: TICK });
    expect(stateOf(after)).toBe('approved');
  });

  test('[DC-11] who asked for it to be tried again takes that back, also without an approval of their own before', async () => {
    const { ids, lab } = await triedAgain({ by: 'tablet' });
    expect(await lab.phone.decide({ kind: 'retract', ids })).toMatchObject([{ result: 'received' }]);
    expect(stateOf(lab)).toBe('pending');
  });
});
