import { expect, test } from 'vitest';
import type { ItemKind } from '../../../src/model/decision.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import { FIRST_UI, stepUi } from '../../../src/panel/app/ui-state.ts';
import { inboxItems, NO_FILTER } from '../../../src/panel/inbox/inbox-items.ts';
import { isTickable, locate } from '../../../src/panel/inbox/located.ts';
import { leaving, rangeOf, tickableIds, tickedOf, toggled } from '../../../src/panel/inbox/selection.ts';
import { createInbox } from '../../../src/replica/inbox/create-inbox.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';

const NOBODY: ReadonlyMap<ActionId, ItemKind> = new Map();

function open() {
  const replica = new FixtureReplica(richSet(0), { nowMs: 0, legMs: null });
  const group = createInbox();
  const items = (only: ReadonlySet<ActionId> | null = null, filter = NO_FILTER) =>
    inboxItems(group(replica.snapshot().workspaces), filter, only);
  const id = (seq: number) =>
    replica.snapshot().workspaces[0]!.open.find(({ record }) => record.seq === seq)!.record.id;
  return { replica, items, id };
}

test('sessions, change sets and rows follow each other; steps of one file are one row', () => {
  const { items } = open();
  const types = items().map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(['session', 'set', 'row']);
  expect(items().find((item) => item.type === 'row')).toMatchObject({
    row: { target: 'src/app.ts', steps: { length: 4 } },
  });
});

test('a filter takes words and numbers', () => {
  const { items } = open();
  const seqs = (text: string) =>
    items(null, { ...NO_FILTER, text }).flatMap((item) =>
      item.type === 'row' ? item.row.steps.map(({ record }) => record.seq) : [],
    );
  expect(seqs('#39')).toEqual([39]);
  expect(seqs('LOGO.png')).toEqual([11]);
  expect(seqs('nothing like it')).toEqual([]);
});

test('a range holds what stands between on the screen, both ends with it, from either side', () => {
  const { id, items } = open();
  const keys = rangeOf(items(), id(9), id(13)).map(({ key }) => key);
  expect(keys).toEqual([id(9), id(11), id(12), id(13)]);
  expect(rangeOf(items(), id(13), id(9)).map(({ key }) => key)).toEqual(keys);
});

test('ticking a group twice leaves nothing ticked', () => {
  const { id } = open();
  const ids = [id(9), id(11)];
  const once = toggled(ids, new Set([id(9)]));
  expect(tickedOf(ids, once)).toBe('all');
  expect(tickedOf(ids, toggled(ids, once))).toBe('none');
});

test('[PN-1] what another device answered is not asked again', () => {
  const { id, replica } = open();
  expect(tickableIds([id(9)], locate(replica.snapshot()), NOBODY)).toEqual([id(9)]);
  replica.claimElsewhere(9, 'approve');
  expect(tickableIds([id(9)], locate(replica.snapshot()), NOBODY)).toEqual([]);
});

test('what is in doubt or underway is never part of a bulk gesture', () => {
  const { replica } = open();
  const states = replica
    .snapshot()
    .workspaces[0]!.open.filter(isTickable)
    .map(({ record }) => record.state);
  expect([...new Set(states)].toSorted()).toEqual(['failed', 'held', 'not-applied', 'pending']);
});

test('[PN-4] what was settled elsewhere leaves the selection, and is told with who did it', () => {
  const { id, replica } = open();
  const [first, second] = [id(9), id(11)];
  const selected = new Set([first, second, id(12)]);
  replica.claimElsewhere(9, 'approve');
  replica.settleElsewhere(11, { state: 'rejected', because: 'person' });
  expect(leaving(selected, locate(replica.snapshot()))).toEqual([
    { id: first, sentence: '#9: approved on phone.' },
    { id: second, sentence: '#11: rejected, decided on phone.' },
  ]);
});

test('[PN-5] while something is selected nothing new comes onto the list', () => {
  const { id, items, replica } = open();
  const before = items();
  const shown = before.flatMap((item) => (item.type === 'row' ? item.ids : []));
  const ui = stepUi(FIRST_UI, { type: 'select', selected: new Set([id(9)]), anchor: id(9), shown });
  const extra = replica.snapshot().workspaces[0]!.open.at(-1)!;
  const fresh = {
    ...extra,
    record: { ...extra.record, id: `${extra.record.id.slice(0, -1)}z` as ActionId, target: 'x' },
  };
  replica.changeWorkspace({ open: [...replica.snapshot().workspaces[0]!.open, fresh] });
  expect(items(ui.frozen).length).toBe(before.length);
  expect(items().length).toBe(before.length + 1);
});

test('a new filter or page selects nothing: what is not seen is not decided', () => {
  const { id } = open();
  const ui = stepUi(FIRST_UI, { type: 'select', selected: new Set([id(9)]), anchor: null, shown: [id(9)] });
  expect(stepUi(ui, { type: 'filter', filter: { ...NO_FILTER, text: 'a' } }).selected.size).toBe(0);
  expect(stepUi(ui, { type: 'page', page: 'audit' })).toMatchObject({ selected: { size: 0 }, frozen: null });
});
