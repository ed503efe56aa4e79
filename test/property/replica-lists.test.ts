import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { waitsFor } from '../../src/model/drain-plan.ts';
import type { ActionId } from '../../src/model/ids.ts';
import type { LedgerAction } from '../../src/model/ledger.ts';
import { ActionIndex } from '../../src/replica/ledger/action-index.ts';
import { ActionViews } from '../../src/replica/ledger/action-views.ts';
import { changedList } from '../../src/replica/ledger/sorted-list.ts';
import { createInbox } from '../../src/replica/inbox/create-inbox.ts';
import { throughRow } from '../../src/replica/inbox/through.ts';
import type { WorkspaceView } from '../../src/replica/types.ts';
import { actionDraft } from '../support/doc-lab.ts';

const STATES = ['pending', 'approved', 'held', 'applying', 'applied', 'failed', 'rejected', 'reverting'] as const;

/** A record of `#seq`; what it needs stands before it. */
const change = fc.record({
  seq: fc.integer({ min: 1, max: 24 }),
  place: fc.integer({ min: 1, max: 60 }),
  lane: fc.constantFrom('x', 'y'),
  state: fc.constantFrom(...STATES),
  needs: fc.array(fc.integer({ min: 1, max: 24 }), { maxLength: 3 }),
  target: fc.constantFrom('a.ts', 'b.ts', 'c.ts'),
  turn: fc.integer({ min: 1, max: 3 }),
  contradicted: fc.boolean(),
  remove: fc.boolean(),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function recordOf({ contradicted, lane, needs, place, seq, state, target, turn }: Change, rev: number): LedgerAction {
  const ranges = needs.filter((need) => need < seq).map((need) => [need, need] as const);
  return {
    ...(actionDraft(seq) as LedgerAction),
    rev,
    // Places are never shared.
    place: place * 100 + seq,
    lane,
    state,
    target,
    turn,
    changedAtMs: rev,
    contradicted: contradicted && state === 'applied',
    needs: { ranges, more: false },
  };
}

function views(): ActionViews {
  return new ActionViews({ claimsOf: () => NONE, cardOf: () => 'here' });
}

const PLAIN = { contradicted: false, remove: false } as const;

/** Everything made anew from the records that are there. */
function rebuilt(records: ReadonlyMap<ActionId, LedgerAction>): ActionViews {
  const fresh = views();
  for (const record of records.values()) fresh.set(record);
  return fresh;
}

describe('lists of a ledger', () => {
  test('[DR-1] kept up to date, they are what they would be made anew; waiting is the model’s own', () => {
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 12 }), (steps) => {
        const kept = views();
        const records = new Map<ActionId, LedgerAction>();
        let rev = 0;
        for (const step of steps) {
          for (const each of step) {
            const record = recordOf(each, (rev += 1));
            if (each.remove) {
              kept.remove(record.id);
              records.delete(record.id);
            } else {
              kept.set(record);
              records.set(record.id, record);
            }
          }
          const before = kept.lists();
          const fresh = rebuilt(records);
          expect(before).toEqual(fresh.lists());
          for (const { record, waitsFor: waits } of before.open)
            expect(waits).toEqual(waitsFor(fresh.index, record.id));
          expect(kept.lists()).toBe(before);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('what later evidence denied stops its lane, and leaves it with the record', () => {
    const lists = views();
    const at = (seq: number, more: Partial<Change>): LedgerAction =>
      recordOf(
        { seq, place: seq, lane: 'x', state: 'pending', needs: [], target: 'a.ts', turn: 1, ...PLAIN, ...more },
        seq,
      );
    const denied = at(1, { state: 'applied', contradicted: true });
    const [behind, elsewhere] = [at(2, {}), at(3, { lane: 'y' })];
    for (const record of [behind, elsewhere, denied]) lists.set(record);
    const waits = (): unknown => lists.lists().open.map(({ record, waitsFor: ids }) => [record.seq, ids]);
    expect(waits()).toEqual([
      [1, []],
      [2, [denied.id]],
      [3, []],
    ]);
    expect(lists.lists().settled).toEqual([]);
    lists.set({ ...denied, rev: 9, contradicted: false });
    const alone = [
      [2, []],
      [3, []],
    ];
    expect(waits()).toEqual(alone);
    expect(lists.lists().settled).toMatchObject([{ record: { seq: 1 } }]);
    lists.set(denied);
    lists.remove(denied.id);
    expect(waits()).toEqual(alone);
  });

  test('what waits is what the model says with everything in the lane, held or not', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const index = new ActionIndex();
        const all = new Map<ActionId, LedgerAction>();
        for (const [at, each] of changes.entries()) {
          const record = recordOf(each, at + 1);
          index.set(record);
          all.set(record.id, record);
        }
        const open = [...all.values()].filter(({ id }) => index.open(id) !== undefined);
        const naive = {
          open: (id: ActionId) => index.open(id),
          lane: (lane: string) =>
            open
              .filter((record) => record.lane === lane)
              .toSorted((a, b) => a.place - b.place)
              .flatMap((record) => index.open(record.id) ?? []),
        };
        for (const { id } of open) expect(waitsFor(index, id)).toEqual(waitsFor(naive, id));
      }),
    );
  });

  test('a sorted list changed bit by bit is the list sorted anew', () => {
    const compare = (a: { readonly n: number }, b: { readonly n: number }): number => a.n - b.n;
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer()), fc.uniqueArray(fc.integer()), (first, second) => {
        const list = first.map((n) => ({ n })).toSorted(compare);
        const gone = new Set(list.filter(({ n }) => second.includes(n) || n % 3 === 0));
        const come = second.map((n) => ({ n }));
        const expected = [...list.filter((item) => !gone.has(item)), ...come].toSorted(compare);
        expect(changedList(list, gone, come, compare)).toEqual(expected);
      }),
    );
  });
});

describe('the inbox', () => {
  test('shows every open action once, in order; reuses what did not change', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 24 }), change, (changes, last) => {
        const kept = views();
        for (const [at, each] of changes.entries()) kept.set(recordOf(each, at + 1));
        const inbox = createInbox();
        const shown = inbox([workspaceOf(kept)]);
        const rows = shown.sessions.flatMap(({ changeSets }) => changeSets.flatMap((set) => set.rows));
        const open = kept.lists().open;
        expect(rows.flatMap(({ steps }) => steps.map(({ record }) => record.seq)).toSorted((a, b) => a - b)).toEqual(
          open.map(({ record }) => record.seq).toSorted((a, b) => a - b),
        );
        expect(shown.open).toBe(open.length);
        for (const { changeSets } of shown.sessions)
          for (const set of changeSets) {
            const firsts = set.rows.map(({ steps }) => steps[0]!.record.place);
            expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
          }
        for (const row of rows) {
          const through = throughRow(open, row);
          const { lane, place } = row.steps.at(-1)!.record;
          expect(through).toEqual(
            open
              .filter(({ record }) => record.lane === lane && record.place <= place && record.state === 'pending')
              .map(({ record }) => record.id),
          );
          const places = row.steps.map((step) => step.record.place);
          const between = open.filter(
            ({ record }) =>
              record.lane === lane &&
              record.state === 'pending' &&
              record.place > Math.min(...places) &&
              record.place < Math.max(...places) &&
              !places.includes(record.place),
          );
          expect(row.straddles).toEqual(between.slice(0, 20).map(({ record }) => record.id));
        }
        expect(inbox([workspaceOf(kept)]).sessions).toEqual(shown.sessions);
        expect(inbox([workspaceOf(kept)]).sessions.every((session, at) => session === shown.sessions[at])).toBe(true);
        kept.set(recordOf({ ...last, turn: 9 }, 100));
        const after = inbox([workspaceOf(kept)]);
        const before = new Map(shown.sessions.flatMap(({ changeSets }) => changeSets.map((set) => [set.key, set])));
        const untouched = after.sessions
          .flatMap(({ changeSets }) => changeSets)
          .filter((set) => JSON.stringify(set) === JSON.stringify(before.get(set.key)));
        for (const set of untouched) expect(set).toBe(before.get(set.key));
      }),
    );
  });
});

function workspaceOf(from: ActionViews): WorkspaceView {
  const { open, settled } = from.lists();
  return {
    id: 'w' as WorkspaceView['id'],
    name: 'w',
    root: '/w',
    quarantine: null,
    moved: null,
    runtime: { state: 'online', heartbeatAtMs: null },
    loaded: 'live',
    trouble: null,
    sessions: SESSIONS,
    devices: new Map(),
    standing: null,
    rules: NONE,
    kinds: NONE,
    open,
    settled,
  };
}

const NONE: readonly never[] = [];
const SESSIONS: WorkspaceView['sessions'] = [];
