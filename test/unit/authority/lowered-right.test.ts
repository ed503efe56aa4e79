import { describe, expect, test } from 'vitest';
import type { ActionState } from '../../../src/model/action.ts';
import type { Right } from '../../../src/model/decision.ts';
import { post } from '../../support/post-surface.ts';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { ruleBody } from '../../support/rule-wish.ts';
import { put } from '../../support/workshop.ts';

const states = ({ authority }: PublishLab): readonly ActionState[] =>
  authority.queue({ all: true }).map(({ state }) => state);

/** The tablet gets another right, as the home's book gives it. */
async function lower(lab: PublishLab, right: Right): Promise<void> {
  lab.world.rights.set(lab.tablet.id, right);
  lab.world.roster.number += 1;
  await lab.authority.rosterChanged();
}

/** Two notes wait in a workspace that is paused. */
async function paused(): Promise<PublishLab> {
  const lab = await publishLab();
  await lab.phone.decide({ kind: 'pause', ids: [] });
  const port = await lab.agent();
  await put(port, 'a', 'one');
  await put(port, 'b', 'two');
  return lab;
}

async function resumed(lab: PublishLab): Promise<readonly ActionState[]> {
  await lab.phone.decide({ kind: 'resume', ids: [], body: {} });
  await lab.settled();
  return states(lab);
}

describe('a right that is lowered', () => {
  test('[DC-8] [DC-7] takes the approvals with it that it does not allow any more, and keeps those it allows', async () => {
    const lab = await paused();
    await lab.tablet.approve([lab.idOf(1), lab.idOf(2)]);
    await lab.phone.approve([lab.idOf(2)]);
    await lower(lab, 'approve-reversible');
    expect(states(lab)).toEqual(['approved', 'approved']);
    await lower(lab, 'reject-only');
    expect(states(lab), 'the phone has approved #2 as well').toEqual(['pending', 'approved']);
    await lab.settled();
    expect(lab.actions()).toMatchObject([{ state: 'pending' }, { by: { type: 'device', device: lab.phone.id } }]);
    await lower(lab, 'approve-all');
    expect(states(lab), 'for good').toEqual(['pending', 'approved']);
    expect(await resumed(lab)).toEqual(['pending', 'approved']);
  });

  test('[DC-8] keeps what only stops something: a reject is final, a hold stands', async () => {
    const lab = await paused();
    await lab.tablet.reject([lab.idOf(1)]);
    await lab.tablet.decide({ kind: 'hold', ids: [lab.idOf(2)] });
    await lab.phone.approve([lab.idOf(2)]);
    await lower(lab, 'reject-only');
    expect(await resumed(lab)).toEqual(['rejected', 'held']);
  });

  test('[DC-8] takes back a retry that has not begun', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    lab.world.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'The shelf is full.' });
    await lab.phone.approve([lab.idOf(1)]);
    await lab.settled();
    await lab.phone.decide({ kind: 'pause', ids: [] });
    await lab.tablet.decide({ kind: 'retry', ids: [lab.idOf(1)] });
    expect(states(lab)).toEqual(['approved']);
    await lower(lab, 'view');
    expect(states(lab)).toEqual(['pending']);
  });

  test('[DC-8] takes along no retry that somebody else asked for', async () => {
    const lab = await publishLab();
    await put(await lab.agent(), 'a', 'one');
    lab.world.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'The shelf is full.' });
    await lab.tablet.approve([lab.idOf(1)]);
    await lab.settled();
    delete lab.world.shelf.hooks.beforeApply;
    await lab.phone.decide({ kind: 'pause', ids: [] });
    await lab.phone.decide({ kind: 'retry', ids: [lab.idOf(1)] });
    await lower(lab, 'view');
    expect(states(lab)).toEqual(['approved']);
    expect(await resumed(lab)).toEqual(['applied']);
  });

  test('[DC-8] takes the rules with it, and what they approved is asked for again', async () => {
    const lab = await paused();
    const body = ruleBody(lab.authority.standing(), { kind: 'note.put' });
    await lab.tablet.decide({ kind: 'rule.add', ids: [], body });
    expect(states(lab)).toEqual(['approved', 'approved']);
    await lower(lab, 'approve-reversible');
    expect(lab.authority.standing().rules).toEqual([]);
    expect(lab.authority.queue({ all: true })).toMatchObject([
      { state: 'pending', attention: { kind: 'rule-gone', why: expect.stringContaining('may not make rules') } },
      { state: 'pending' },
    ]);
  });

  test('[DC-8] while nothing ran counts before anything begins', async () => {
    const lab = await paused();
    await lab.tablet.approve([lab.idOf(1)]);
    lab.world.rights.set(lab.tablet.id, 'view');
    lab.world.roster.number += 1;
    const after = await lab.crashed();
    expect(states(after)).toEqual(['pending', 'pending']);
    expect(await resumed(after)).toEqual(['pending', 'pending']);
    expect(after.world.shelf.notes.size).toBe(0);
  });

  test('[DC-8] between the look and the intent stops it; past the commit point it ends as it ends', async () => {
    const world = post({ effectClass: 'E3' });
    const lab = await publishLab({ shelf: world });
    const port = await lab.agent();
    for (const text of ['one', 'two']) await port.call({ tool: 'send', arguments: { text }, callId: null });
    let goOn = (): void => undefined;
    world.way.there = () => new Promise((resolve) => (goOn = () => resolve(undefined)));
    await lab.tablet.approve([lab.idOf(1)]);
    await lab.settled();
    expect(states(lab)).toEqual(['applying', 'pending']);
    await lower(lab, 'view');
    goOn();
    await lab.settled();
    expect(states(lab)).toEqual(['applied', 'pending']);
    lab.world.rights.set(lab.tablet.id, 'approve-all');
    lab.world.roster.number += 1;
    await lab.authority.rosterChanged();
    let looked = (): void => undefined;
    world.way.look = () => new Promise((resolve) => (looked = resolve));
    await lab.tablet.approve([lab.idOf(2)]);
    await lab.settled();
    // Nobody has told the runtime yet: it asks the roster's number itself.
    lab.world.rights.set(lab.tablet.id, 'view');
    lab.world.roster.number += 1;
    looked();
    await lab.settled();
    expect(states(lab)).toEqual(['applied', 'pending']);
    expect(world.letters).toHaveLength(1);
  });

  test('[DC-8] [CA-4] stops the plan it had signed', async () => {
    const lab = await publishLab();
    const port = await lab.agent();
    await put(port, 'a', 'one');
    await put(port, 'a', 'two');
    const ids = [lab.idOf(1), lab.idOf(2)];
    await lab.phone.approve(ids);
    await lab.settled();
    let goOn = (): void => undefined;
    lab.world.shelf.hooks.beforeRevert = () => new Promise((resolve) => (goOn = () => resolve(undefined)));
    await lab.tablet.decide({ kind: 'revert', ids });
    await lab.settled();
    await lower(lab, 'reject-only');
    goOn();
    await lab.settled();
    expect(states(lab)).toEqual(['applied', 'reverted']);
    expect((await lab.authority.show(lab.idOf(1))).row.why).toContain('may not ask for it any more');
  });

  test('[DC-8] [DR-8] takes back what it had let through plan mode', async () => {
    const lab = await paused();
    await lab.phone.approve([lab.idOf(1)]);
    await lab.phone.decide({ kind: 'mode', ids: [], body: { mode: 'plan' } });
    await lab.tablet.decide({ kind: 'anyway', ids: [lab.idOf(1)] });
    await lower(lab, 'approve-reversible');
    expect(await resumed(lab)).toEqual(['approved', 'pending']);
  });
});
