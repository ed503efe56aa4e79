import { describe, expect, expectTypeOf, test } from 'vitest';
import { mayDecide, RIGHT_ORDER, rightAtMost, type DecidableKind, type Right } from '../../../src/access/rights.ts';
import {
  BODY_KINDS,
  ITEM_KINDS,
  RIGHTS,
  type DecisionKind,
  type Right as ModelRight,
} from '../../../src/model/decision.ts';

/**
 * Semantics §3, written out: what a device may decide on a reversible action, on one that is not, and where there is
 * no action. v = view, r = reject-only, R = approve-reversible, A = approve-all.
 */
const TABLE: Readonly<Record<DecisionKind, readonly [reversible: string, not: string, none: string]>> = {
  reject: ['rRA', 'rRA', 'rRA'],
  change: ['rRA', 'rRA', 'rRA'],
  hold: ['rRA', 'rRA', 'rRA'],
  retract: ['rRA', 'rRA', 'rRA'],
  pause: ['rRA', 'rRA', 'rRA'],
  approve: ['RA', 'A', 'A'],
  edit: ['RA', 'A', 'A'],
  reissue: ['RA', 'A', 'A'],
  retry: ['RA', 'A', 'A'],
  revert: ['RA', 'A', 'A'],
  settle: ['RA', 'A', 'A'],
  release: ['RA', 'A', 'A'],
  reconsider: ['RA', 'A', 'A'],
  anyway: ['A', 'A', 'A'],
  'rule.add': ['A', 'A', 'A'],
  'rule.remove': ['A', 'A', 'A'],
  'device.confirm': ['A', 'A', 'A'],
  'device.rights': ['A', 'A', 'A'],
  'device.revoke': ['A', 'A', 'A'],
  mode: ['rRA', 'rRA', 'rRA'],
  resume: ['A', 'A', 'A'],
  'quarantine.leave': ['A', 'A', 'A'],
  adopt: ['A', 'A', 'A'],
};
const LETTER: Readonly<Record<Right, string>> = {
  view: 'v',
  'reject-only': 'r',
  'approve-reversible': 'R',
  'approve-all': 'A',
};
const FACTS = [{ reversible: true }, { reversible: false }, null] as const;

describe.each(RIGHTS)('[DC-7] the right %s', (right) => {
  test.each([...ITEM_KINDS, ...BODY_KINDS])('to %s', (kind) => {
    const may = FACTS.map((facts) => mayDecide(right, kind, facts).ok);
    expect(may).toEqual(TABLE[kind].map((rights) => rights.includes(LETTER[right])));
  });
});

test('[DC-7] the rights and kinds of access are those of the model', () => {
  expect([...RIGHT_ORDER]).toEqual([...RIGHTS]);
  expectTypeOf<Right>().toEqualTypeOf<ModelRight>();
  expectTypeOf<DecidableKind>().toEqualTypeOf<DecisionKind>();
});

test('a refusal names the right that is missing', () => {
  expect(mayDecide('approve-reversible', 'approve', { reversible: false })).toEqual({
    ok: false,
    error: 'To approve what cannot be undone a device needs the right approve-all; this one has approve-reversible.',
  });
  expect(mayDecide('view', 'reject', null)).toEqual({
    ok: false,
    error: 'To reject a device needs the right reject-only; this one has view.',
  });
});

test('nobody raises a right above their own', () => {
  for (const [i, a] of RIGHTS.entries()) {
    for (const [j, b] of RIGHTS.entries()) expect(rightAtMost(a, b), `${a} ≤ ${b}`).toBe(i <= j);
  }
});
