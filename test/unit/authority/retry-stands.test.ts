import { expect, test } from 'vitest';
import { publishLab, type PublishLab } from '../../support/publish-lab.ts';
import { put } from '../../support/workshop.ts';

const stateOf = ({ authority }: PublishLab) => authority.queue({ all: true })[0]?.state;

/** The tablet has approved what failed; the phone lets it be tried again, in a workspace that is paused. */
async function retried(): Promise<PublishLab> {
  const lab = await publishLab();
  await put(await lab.agent(), 'a', 'one');
  lab.world.shelf.hooks.beforeApply = async () => ({ type: 'failed', why: 'The shelf is full.' });
  await lab.tablet.approve([lab.idOf(1)]);
  await lab.settled();
  delete lab.world.shelf.hooks.beforeApply;
  await lab.phone.decide({ kind: 'pause', ids: [] });
  await lab.phone.decide({ kind: 'retry', ids: [lab.idOf(1)] });
  expect(stateOf(lab)).toBe('approved');
  return lab;
}

test('[DC-11] a retry is taken back by the device that asked for it, and not by what another takes back', async () => {
  const lab = await retried();
  await lab.tablet.decide({ kind: 'retract', ids: [lab.idOf(1)] });
  expect(stateOf(lab)).toBe('approved');
  await lab.phone.decide({ kind: 'retract', ids: [lab.idOf(1)] });
  expect(stateOf(lab)).toBe('pending');
  await lab.phone.decide({ kind: 'resume', ids: [], body: {} });
  await lab.settled();
  expect(stateOf(lab)).toBe('pending');
});

test('[DC-8] a retry does not fall with an earlier approval of a device that is removed', async () => {
  const lab = await retried();
  lab.world.removed.add(lab.tablet.id);
  lab.world.roster.number += 1;
  await lab.authority.rosterChanged();
  expect(stateOf(lab)).toBe('approved');
});

test('[DC-8] what a device approved falls as well when it is removed while the authority starts', async () => {
  const lab = await publishLab();
  await put(await lab.agent(), 'a', 'one');
  await lab.tablet.decide({ kind: 'pause', ids: [] });
  await lab.phone.approve([lab.idOf(1)]);
  expect(stateOf(lab)).toBe('approved');
  const after = await lab.crashed({
    beforeDrain: async () => {
      lab.world.removed.add(lab.phone.id);
      lab.world.roster.number += 1;
    },
  });
  expect(stateOf(after)).toBe('pending');
});
