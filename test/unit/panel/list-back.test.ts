import { expect, test } from 'vitest';
import { givenBack } from '../../../src/model/list-back.ts';
import type { LedgerAction } from '../../../src/model/ledger.ts';
import { listsBack } from '../../../src/panel/words/list-back.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

/** The fixture's pending actions, the first of them changed. */
function open(...over: readonly Partial<LedgerAction>[]) {
  const replica = new FixtureReplica(richSet(NOW_MS), { nowMs: NOW_MS, legMs: null });
  const plain = replica
    .snapshot()
    .workspaces.flatMap((workspace) => workspace.open)
    .filter(({ record }) => record.state === 'pending' && record.attention === null);
  return plain.map((view, at) => ({ ...view, record: { ...view.record, ...over[at] } }));
}

const one = { remark: givenBack('#9: it moved.') };
const other = { remark: givenBack('#12: it is rejected.') };

test('[DR-11] what was given back together is one list, and each list says what stood in its way', () => {
  const views = open(one, other, one, { remark: 'The folder had other permissions.' });
  const ids = views.map(({ record }) => record.id);
  expect(listsBack(views)).toEqual([
    { because: '#9: it moved.', ids: [ids[0], ids[2]] },
    { because: '#12: it is rejected.', ids: [ids[1]] },
  ]);
});

test('[DR-11] what stands in its own way, or was decided since, is not offered again', () => {
  const attention = { kind: 'conflict', entry: 3, why: 'It changed.' } as const;
  const views = open({ ...one, attention }, { ...one, state: 'held' }, { ...one, state: 'approved' }, one);
  expect(listsBack(views)).toMatchObject([{ ids: [views[3]?.record.id] }]);
});
