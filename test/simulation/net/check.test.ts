import { describe, expect, test } from 'vitest';
import { toHex } from '../../../src/base/bytes.ts';
import { canonicalBytes } from '../../../src/base/canonical-json.ts';
import type { JournalRow } from '../../../src/model/event.ts';
import type { ActionId, DeviceId, Digest } from '../../../src/model/ids.ts';
import type { Snapshot } from '../../../src/replica/types.ts';
import type { Household } from '../contract.ts';
import { checkAlways, checkHealed, type Checked } from './check.ts';
import type { SimDevice } from './device.ts';
import type { Promised } from './storage.ts';
import { Truth } from './truth.ts';

/** Goal: every invariant of the net can fail. Each test makes one bad thing by hand, and one only. */

const WORKSPACE = 'w-one';
const MEMBER = { id: 'd-one' as DeviceId, revoked: false }; // reason: a name is enough here
const hash = (digit: string): Digest => digit.repeat(64) as Digest; // reason: as above
const root = (seq: number): Uint8Array => new Uint8Array(32).fill(seq);

function taken(seq: number, dn: number, digest: Digest, result: 'received' | 'refused' = 'received'): JournalRow {
  const results = [{ id: 'a-one' as ActionId, result, why: null }]; // reason: as above
  const event = { kind: 'decision-taken', device: MEMBER.id, dn, hash: digest, results };
  const bytes = canonicalBytes(event);
  const common = { seq, atMs: 1, actionSeq: 0, attempt: 0, audit: bytes, eventHash: root(seq), root: root(seq) };
  return { ...common, kind: 'decision-taken', event: bytes };
}

function truthOf(rows: readonly JournalRow[], actions: readonly object[] = []): Truth {
  const records = actions.map((action, at) => ({
    table: 'action' as const,
    key: `${at}`,
    order: at,
    live: true,
    value: canonicalBytes(action),
  }));
  return new Truth(() => ({
    head: () => ({ seq: rows.length, root: root(rows.length) }),
    rows: (from, limit) => rows.slice(from - 1, from - 1 + limit),
    recordsBefore: () => records,
  }));
}

interface Made {
  readonly name?: string;
  readonly promised?: Readonly<Record<number, Promised>>;
  readonly witnessed?: readonly { readonly size: number; readonly root: string }[];
  readonly faults?: readonly unknown[];
  readonly head?: number;
  readonly snapshot?: object;
  readonly closed?: boolean;
}

function record(seq: number, state: string, digest = hash('a')) {
  return { record: { seq, state, digest, id: `a-${seq}` }, waitsFor: [] };
}

function view(open: readonly object[] = []): object {
  return { loaded: 'live', open, settled: [], sessions: [], devices: new Map() };
}

function device({
  closed = false,
  faults = [],
  head = 0,
  name = 'd0',
  promised = {},
  snapshot = {},
  witnessed = [],
}: Made = {}) {
  const shown = {
    alarms: [],
    connection: { state: 'online' },
    workspaces: [view()],
    ...snapshot,
  } as unknown as Snapshot; // reason: what a check reads
  const made = {
    name,
    member: MEMBER,
    isEvicted: false,
    faults,
    disk: {
      promised: new Map(Object.entries(promised).map(([n, each]) => [Number(n), each])),
      facts: new Map([
        [`witnessed/${WORKSPACE}`, { number: 1, value: witnessed }],
        ['head', { number: head, value: null }],
      ]),
    },
    replica: closed ? undefined : { snapshot: () => shown },
  };
  return made as unknown as SimDevice; // reason: what a check reads of a device
}

function checked(changed: Partial<Checked>): Checked {
  const household = { workspace: WORKSPACE, members: [MEMBER] } as unknown as Household; // reason: what a check reads
  const none = new Set<string>();
  const nothing = { hostile: false, hostileRelay: false, forged: none, headsSigned: 0, published: none };
  return { devices: [device()], household, truth: truthOf([]), ...nothing, ...changed };
}

describe('at any moment', () => {
  test('nothing is wrong where nothing is', () => {
    const promised = { 1: { hash: hash('a'), kept: 'receipted' as const } };
    const truth = truthOf([taken(1, 1, hash('a'))]);
    const witnessed = [{ size: 1, root: toHex(root(1)) }];
    expect(checkHealed(checked({ devices: [device({ promised, witnessed })], truth }))).toEqual([]);
  });

  test('13: a receipt for what the journal has not got, or has otherwise', () => {
    const devices = [device({ promised: { 1: { hash: hash('a'), kept: 'receipted' } } })];
    expect(checkAlways(checked({ devices }))).toEqual([expect.stringMatching(/^13: d0 holds a receipt for 1/)]);
    const truth = truthOf([taken(1, 1, hash('b'))]);
    expect(checkAlways(checked({ devices, truth }))).toHaveLength(1);
  });

  test('DC-6: a refusal of what counted in full', () => {
    const devices = [device({ promised: { 1: { hash: hash('a'), kept: 'refused' } } })];
    expect(checkAlways(checked({ devices, truth: truthOf([taken(1, 1, hash('a'))]) }))).toHaveLength(1);
    expect(checkAlways(checked({ devices, truth: truthOf([taken(1, 1, hash('a'), 'refused')]) }))).toEqual([]);
  });

  test('14: a forged decision, and one number for two', () => {
    const truth = truthOf([taken(1, 1, hash('a'))]);
    expect(checkAlways(checked({ truth, forged: new Set([hash('a')]) }))).toEqual([expect.stringMatching(/^14: the/)]);
    const twice = truthOf([taken(1, 1, hash('a')), taken(2, 1, hash('b'))]);
    expect(checkAlways(checked({ truth: twice }))).toContainEqual(
      expect.stringMatching(/^14: d-one\/1 was taken twice/),
    );
  });

  test('15: another log than the journal’s, unless an alarm is up', () => {
    const witnessed = [{ size: 1, root: toHex(root(9)) }];
    const truth = truthOf([taken(1, 1, hash('a'))]);
    expect(checkAlways(checked({ devices: [device({ witnessed })], truth }))).toEqual([expect.stringMatching(/^15: /)]);
    const longer = [{ size: 2, root: toHex(root(2)) }];
    expect(checkAlways(checked({ devices: [device({ witnessed: longer })], truth }))).toHaveLength(1);
    const snapshot = { alarms: [{ kind: 'fork', workspace: WORKSPACE, sentence: '' }] };
    expect(checkAlways(checked({ devices: [device({ witnessed, snapshot })], truth }))).toEqual([]);
  });

  test('14: a head or an action that a relay made up', () => {
    const shows = record(1, 'applied');
    const made = { head: 2, snapshot: { workspaces: [view([shows])] } };
    const at = (more: Partial<Checked>): readonly string[] =>
      checkAlways(checked({ devices: [device({ ...made })], hostileRelay: true, ...more }));
    expect(at({})).toEqual([
      '14: d0 keeps head 2, and the home has signed 0.',
      '14: d0 shows a #1 that was never published.',
    ]);
    made.snapshot = { workspaces: [view([shows])] };
    expect(at({ headsSigned: 2, published: new Set([JSON.stringify(shows.record)]) })).toEqual([]);
  });

  test('an exception that nobody waited for', () => {
    expect(checkAlways(checked({ devices: [device({ faults: [new Error('oh')] })] }))).toEqual(['fault: d0: oh']);
  });
});

describe('after healing', () => {
  const action = { seq: 1, state: 'applied', digest: hash('a') };
  const truth = truthOf([], [action]);
  const showing = (...open: readonly object[]) => ({ snapshot: { workspaces: [view(open)] } });

  test('23: an action that a device lacks, shows otherwise, or shows and is not', () => {
    const problems = (made: Made): readonly string[] => checkHealed(checked({ devices: [device(made)], truth }));
    expect(problems(showing(record(1, 'applied')))).toEqual([]);
    expect(problems(showing())).toEqual(['23: d0 lacks #1.']);
    expect(problems(showing(record(1, 'pending')))).toEqual(['23: d0 shows #1 pending, and it is applied.']);
    expect(problems(showing(record(1, 'applied', hash('b'))))).toHaveLength(1);
    expect(problems(showing(record(1, 'applied'), record(2, 'pending')))).toEqual(['23: d0 shows #2 of nowhere.']);
  });

  test('23: two devices that do not show the same', () => {
    const unknown = new Truth(() => undefined);
    const devices = [device(showing(record(1, 'applied'))), device({ name: 'd1', ...showing() })];
    expect(checkHealed(checked({ devices, truth: unknown }))).toEqual(['23: d1 does not show what d0 shows.']);
  });

  test('24: a device without window, connection, ledger or answer', () => {
    const problems = (made: Made): readonly string[] => checkHealed(checked({ devices: [device(made)] }));
    expect(problems({ closed: true })).toEqual([expect.stringMatching(/^24: d0 has no window/)]);
    expect(problems({ snapshot: { connection: { state: 'offline' } } })).toEqual(['24: d0 is offline.']);
    expect(problems({ snapshot: { workspaces: [] } })).toEqual(['24: d0 shows nothing.']);
    const waiting = { 3: { hash: hash('a'), kept: 'waiting' as const } };
    expect(problems({ promised: waiting })).toEqual(['24: d0 has no answer to its decision 3.']);
  });

  test('15: an alarm for nothing', () => {
    const snapshot = { alarms: [{ kind: 'rollback', workspace: null, sentence: 'It went back.' }] };
    expect(checkHealed(checked({ devices: [device({ snapshot })] }))).toEqual([
      '15: d0 raises rollback for nothing: It went back.',
    ]);
  });
});
