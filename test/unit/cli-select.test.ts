import { describe, expect, test } from 'vitest';
import { select, type Selection } from '../../src/cli/device/select.ts';
import type { QueueRow } from '../../src/model/owner-port.ts';
import type { ItemKind } from '../../src/model/decision.ts';
import { actionId, sessionId } from '../../src/model/ids.ts';

function row(seq: number, change: Partial<QueueRow> = {}): QueueRow {
  // reason: the fields that are not looked at are left out
  return {
    id: actionId(new Uint8Array(16).fill(seq)),
    seq,
    session: sessionId(new Uint8Array(16)),
    state: 'pending',
    title: `Write ${seq}`,
    target: `${seq}`,
    reversible: true,
    attention: null,
    kind: 'file.write',
    ...change,
  } as QueueRow;
}

const OTHER = sessionId(new Uint8Array(16).fill(9));
const ROWS = [
  row(1),
  row(2, { reversible: false }),
  row(3, { session: OTHER }),
  row(4, { state: 'held' }),
  row(5, { attention: { kind: 'conflict', entry: 7, why: '' } }),
  row(6, { attention: { kind: 'stale', entry: 8, why: '' } }),
  row(7, { state: 'applied' }),
  row(8),
  row(9, { kind: 'unknown' }),
  row(10, { mayHappenTwice: true }),
];

const PLACES = new Map(ROWS.map(({ id, seq, session }) => [id, { lane: session, place: seq === 1 ? 20 : seq }]));

function run(kind: ItemKind, selection: Selection) {
  const { chosen, excluded, refused } = select(kind, selection, {
    rows: ROWS,
    places: PLACES,
    moved: new Set(ROWS.slice(2, 4).map(({ id }) => id)),
    inspectable: (tag) => tag !== 'unknown',
  });
  return {
    chosen: chosen.map(({ seq }) => seq),
    excluded: excluded.map(({ row: { seq } }) => seq),
    refused: refused.map(({ id, why }) => `${id}: ${why}`),
  };
}

describe('what a person pointed at', () => {
  test('[T3] everything leaves out what needs a tick of its own, and names it', () => {
    expect(run('approve', { type: 'all', except: ['8'] })).toEqual({
      chosen: [1, 3, 6],
      excluded: [2, 5, 9, 10],
      refused: [],
    });
  });

  test('[T3] what cannot be undone is approved by its own number', () => {
    expect(run('approve', { type: 'ids', refs: ['2'] })).toEqual({ chosen: [2], excluded: [], refused: [] });
  });

  test('through an action is its lane up to it, in the order of places', () => {
    expect(run('approve', { type: 'through', ref: '#6', except: [] })).toEqual({
      chosen: [6],
      excluded: [2, 5],
      refused: [],
    });
  });

  test('a wrong exception decides nothing', () => {
    const { chosen, refused } = run('approve', { type: 'all', except: ['99'] });
    expect([chosen, refused.length]).toEqual([[], 1]);
  });

  test('an unknown or settled id is refused, the others are not', () => {
    const { chosen, refused } = run('approve', { type: 'ids', refs: ['99', '7', '8', '#8'] });
    expect(chosen).toEqual([8]);
    expect(refused).toEqual(['99: There is no action #99.', expect.stringMatching(/^a-.*already applied; revert/)]);
  });

  test.each<[ItemKind, string, boolean]>([
    ['revert', '7', true],
    ['revert', '1', false],
    // Undecided again, it may be one that may happen twice: the runtime knows.
    ['retry', '1', true],
    ['retry', '7', false],
    ['settle', '1', false],
    ['reject', '7', false],
    ['hold', '4', true],
  ])('%s #%s can be meant: %s', (kind, ref, possible) => {
    expect(run(kind, { type: 'ids', refs: [ref] }).chosen.length === 1).toBe(possible);
  });
});

test('[GM-4] what moved is exactly what the runtime says has moved', () => {
  expect(run('reissue', { type: 'moved', except: [] })).toMatchObject({ chosen: [3, 4], refused: [] });
});
