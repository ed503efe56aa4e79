import { expect, test } from 'vitest';
import { listsBack } from '../../src/panel/words/list-back.ts';
import { replicaLab, workspaceOf, WORKSPACE_ID, type ReplicaLab } from '../support/replica-lab.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;
const WHOLE = { mode: 'all-or-none' } as const;

/** Three notes that nobody decided about, and two devices that show them. */
async function three() {
  const lab = await replicaLab();
  const port = await lab.agent();
  for (const name of ['a', 'b', 'c']) await put(port, name, 'x');
  const [phone, laptop] = [await lab.devices['phone']!.window(), await lab.devices['laptop']!.window()];
  await lab.settle();
  return { ...lab, phone, laptop };
}

function ids(lab: Pick<ReplicaLab, 'idOf'>, ...seqs: readonly number[]) {
  return seqs.map((seq) => lab.idOf(seq));
}

test('[DR-11] a list that was given back is offered as the rest on every device, and goes on in order', async () => {
  const lab = await three();
  lab.shelf.notes.set('c', 'theirs');
  await lab.phone.decide({ workspace, kind: 'approve', ids: ids(lab, 1, 2, 3), body: WHOLE });
  await lab.settle(80);
  expect(lab.shelf.effects).toEqual([]);
  for (const window of [lab.phone, lab.laptop])
    expect(listsBack(workspaceOf(window).open)).toEqual([
      { because: '#3: c was changed by somebody else.', ids: ids(lab, 1, 2) },
    ]);
  await lab.laptop.decide({ workspace, kind: 'approve', ids: ids(lab, 1, 2), body: { mode: 'rest' } });
  await lab.settle(80);
  expect(lab.shelf.effects).toEqual(['a=x', 'b=x']);
  expect(listsBack(workspaceOf(lab.phone).open)).toEqual([]);
});

test('[DR-11] of a list that is refused, the device is told what stood in its way', async () => {
  const lab = await three();
  lab.hub.cut('phone/one');
  await lab.phone.decide({ workspace, kind: 'approve', ids: ids(lab, 1, 2, 3), body: WHOLE });
  await lab.laptop.decide({ workspace, kind: 'reject', ids: ids(lab, 1) });
  await lab.settle();
  lab.hub.join('phone/one');
  await lab.settle(80);
  expect(lab.phone.snapshot().outgoing).toMatchObject([
    { state: 'refused', ids: ids(lab, 1, 2, 3), why: expect.stringContaining('because of #1: #1 is rejected.') },
  ]);
  expect(lab.shelf.effects).toEqual([]);
});
