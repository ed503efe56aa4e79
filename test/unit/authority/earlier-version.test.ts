import { describe, expect, test } from 'vitest';
import { parseCanonical } from '../../../src/base/canonical-json.ts';
import type { Outcome } from '../../../src/authority/ports.ts';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

const EARLIER = /earlier version of it \([0-9a-f]{12}…\), and not the one that is shown here/;

/** A note whose first try hangs and was given up for lost; it was to be tried again, and made anew over another world. */
async function madeAnew() {
  const lab = await publishLab();
  const { notes, hooks } = lab.world.shelf;
  let answer: (outcome: Outcome) => void = () => undefined;
  hooks.beforeApply = () => new Promise<Outcome>((resolve) => (answer = resolve));
  await put(await lab.agent(), 'a', 'mine');
  const ids = [lab.idOf(1)];
  const digest = lab.authority.item(lab.idOf(1)).digest;
  await lab.phone.approve(ids);
  await lab.settled();
  lab.world.clock.advance(60_000);
  await lab.settled();
  await lab.phone.decide({ kind: 'settle', ids, body: { answer: 'did-not', attempt: 1 } });
  await lab.phone.decide({ kind: 'pause', ids: [] });
  await lab.phone.decide({ kind: 'retry', ids });
  notes.set('a', '+theirs ');
  await lab.phone.decide({ kind: 'reissue', ids, body: { mode: 'merge' } });
  expect(lab.authority.queue({ all: true })).toMatchObject([{ state: 'pending', attention: { kind: 'reissued' } }]);
  expect(lab.authority.item(lab.idOf(1)).digest).not.toBe(digest);
  return { lab, ids, digest, answer: (outcome: Outcome) => answer(outcome) };
}

const auditOf = ({ rows }: PublishLab, kind: string): unknown =>
  rows.filter((row) => row.kind === kind).map((row) => parseCanonical(row.audit));

describe('an attempt from before it was made anew happened after all', () => {
  test('[EF-6] [LC-5] card, show and log say that the earlier version happened, and not what is shown', async () => {
    const { answer, digest, lab } = await madeAnew();
    lab.world.shelf.notes.set('a', 'mine');
    answer({ type: 'applied', evidence: {}, drift: null });
    await lab.settled();
    const [row] = lab.authority.queue({ all: true });
    expect(row).toMatchObject({ state: 'applied', contradicted: true, why: expect.stringMatching(EARLIER) });
    expect(row?.why).toContain(digest.slice(0, 12));
    expect(lab.actions()).toMatchObject([{ remark: expect.stringMatching(EARLIER), contradicted: true }]);
    expect((await lab.authority.show(lab.idOf(1))).action).toMatchObject({
      applied: { attempt: 1, drift: expect.stringMatching(EARLIER) },
    });
    expect(auditOf(lab, 'contradicted')).toMatchObject([{ attempt: 1, why: 'applied: an earlier version' }]);
    expect(lab.alarms).toEqual([expect.stringMatching(EARLIER)]);
    await lab.phone.decide({ kind: 'settle', ids: [lab.idOf(1)], body: { answer: 'happened', attempt: 1 } });
    expect(lab.authority.queue({ all: true })[0]?.why, 'also when the alarm is answered').toMatch(EARLIER);
  });

  test('[CA-3] [LC-5] a revert takes back what happened, and not what it was made into', async () => {
    const { answer, ids, lab } = await madeAnew();
    lab.world.shelf.notes.set('a', 'mine');
    answer({ type: 'applied', evidence: {}, drift: null });
    await lab.settled();
    expect((await lab.authority.show(lab.idOf(1))).revertable).toMatchObject({ feasible: true });
    expect(await lab.phone.decide({ kind: 'revert', ids })).toMatchObject([{ result: 'received' }]);
    await lab.settled();
    expect(lab.authority.queue({ all: true })).toMatchObject([{ state: 'reverted' }]);
    expect(lab.world.shelf.notes.has('a')).toBe(false);
  });

  test('[EF-6] what is shown and an earlier version happened both: the alarm says which came beside it', async () => {
    const { answer, ids, lab } = await madeAnew();
    delete lab.world.shelf.hooks.beforeApply;
    await lab.phone.approve(ids);
    await lab.phone.decide({ kind: 'resume', ids: [], body: {} });
    await lab.settled();
    expect(lab.world.shelf.notes.get('a')).toBe('+theirs mine');
    answer({ type: 'applied', evidence: {}, drift: null });
    await lab.settled();
    const [row] = lab.authority.queue({ all: true });
    expect(row).toMatchObject({
      state: 'applied',
      contradicted: true,
      why: expect.stringMatching(/^It happened twice/),
    });
    expect(row?.why).toMatch(EARLIER);
  });

  test('[EF-6] an attempt of what is shown says nothing of versions', async () => {
    const { ids, lab } = await madeAnew();
    lab.world.shelf.hooks.beforeApply = async () => ({ type: 'in-doubt', why: 'The shelf is dark.' });
    await lab.phone.approve(ids);
    await lab.phone.decide({ kind: 'resume', ids: [], body: {} });
    await lab.settled();
    await lab.phone.decide({ kind: 'settle', ids, body: { answer: 'happened', attempt: 2 } });
    await lab.settled();
    expect(lab.actions()).toMatchObject([{ state: 'applied', remark: null }]);
  });
});
