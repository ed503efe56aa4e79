import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ITEM_KINDS, type ItemKind } from '../../src/model/decision.ts';
import type { DeviceId, Digest } from '../../src/model/ids.ts';
import {
  addStance,
  detectEquivocation,
  foldStances,
  NO_STANCES,
  rule,
  takeStance,
  type AcceptedStance,
  type Ruling,
  type RulingFacts,
} from '../../src/model/ruling.ts';
import { attention, did, digestOf } from '../unit/model/make-action.ts';

const DEVICES = [did(1), did(2), did(3)] as const;
const NUMBERS_MAX = 6;
const DIGESTS = [digestOf(1), digestOf(2)] as const;

/** A decision's hash: one per device and number, two where a device contradicts itself. */
function hashOf(device: number, n: number, copy: boolean): Digest {
  return digestOf(1_000 + 100 * device + 10 * n + (copy ? 1 : 0));
}

const anyHash = fc
  .record({ device: fc.nat(2), n: fc.integer({ min: 1, max: NUMBERS_MAX }) })
  .map(({ device, n }) => hashOf(device, n, false));

function stanceOf(kinds: readonly ItemKind[]): fc.Arbitrary<AcceptedStance> {
  return fc
    .record({
      device: fc.nat(2),
      n: fc.integer({ min: 1, max: NUMBERS_MAX }),
      copy: fc.integer({ min: 0, max: 14 }).map((die) => die === 0),
      kind: fc.constantFrom(...kinds),
      digest: fc.constantFrom(DIGESTS[0], DIGESTS[0], DIGESTS[0], DIGESTS[1]),
      attention: fc.constantFrom(undefined, undefined, 40, 50),
      lifts: fc.uniqueArray(anyHash, { maxLength: 3 }),
    })
    .map(({ device, n, copy, kind, digest, attention: entry, lifts }) => ({
      device: DEVICES[device] ?? DEVICES[0],
      n,
      hash: hashOf(device, n, copy),
      kind,
      digest,
      ...(entry === undefined ? {} : { attention: entry }),
      holdsLifted: kind === 'release' ? lifts : [],
    }));
}

function decisionsOf(kinds: readonly ItemKind[]): fc.Arbitrary<readonly AcceptedStance[]> {
  return fc.uniqueArray(stanceOf(kinds), { selector: (stance) => stance.hash, maxLength: 12, size: 'max' });
}

const decisions = fc.oneof(
  decisionsOf(ITEM_KINDS),
  decisionsOf(['approve', 'hold', 'release', 'retract']),
  decisionsOf(['approve', 'hold', 'release']),
);

const facts: fc.Arbitrary<RulingFacts> = fc.record({
  digest: fc.constantFrom(DIGESTS[0], DIGESTS[0], DIGESTS[1]),
  attention: fc.constantFrom(
    null,
    null,
    attention('stale', 40),
    attention('reissued', 50),
    attention('conflict', 50),
    attention('tool-changed', 40),
  ),
  revoked: fc.subarray([...DEVICES], { maxLength: 1 }).map((devices) => new Set<DeviceId>(devices)),
  frozen: fc.integer({ min: 0, max: 9 }).map((die) => new Set<DeviceId>(die === 0 ? [DEVICES[2]] : [])),
});

/** The rules of semantics §3 read out loud, stance by stance, without any structure of ours. */
function readOutLoud(decided: readonly AcceptedStance[], world: RulingFacts): string {
  const { digest, attention: newest, revoked, frozen } = world;
  const taken = decided.filter((s) => ['approve', 'reject', 'change', 'hold', 'release', 'retract'].includes(s.kind));
  const isFrozen = (device: DeviceId): boolean =>
    frozen.has(device) ||
    taken.some(
      (a) => a.device === device && taken.some((b) => b.device === device && b.n === a.n && b.hash !== a.hash),
    );
  const hasNewer = (s: AcceptedStance): boolean => taken.some((other) => other.device === s.device && other.n > s.n);
  const liftedByName = (s: AcceptedStance): boolean =>
    taken.some((other) => other.kind === 'release' && !isFrozen(other.device) && other.holdsLifted.includes(s.hash));

  if (taken.some((s) => s.kind === 'reject' || s.kind === 'change')) return 'rejected';
  const holds = taken.filter(
    (s) => s.kind === 'hold' && !revoked.has(s.device) && !liftedByName(s) && (isFrozen(s.device) || !hasNewer(s)),
  );
  if (holds.length > 0)
    return `held ${holds
      .map((s) => s.hash)
      .toSorted()
      .join(' ')}`;
  const blocked = newest !== null && ['conflict', 'tool-changed'].includes(newest.kind);
  const approvals = taken.filter(
    (s) =>
      s.kind === 'approve' &&
      s.digest === digest &&
      (s.attention ?? null) === (newest === null ? null : newest.entry) &&
      !blocked &&
      !revoked.has(s.device) &&
      !isFrozen(s.device) &&
      !hasNewer(s),
  );
  return approvals.length > 0 ? 'approved' : 'none';
}

function spoken(ruling: Ruling): string {
  if (ruling.type !== 'held') return ruling.type;
  return `held ${ruling.by
    .map((by) => by.hash)
    .toSorted()
    .join(' ')}`;
}

describe('the ruling', () => {
  test('[DC-3] [DC-11] [DC-12] is what the rules say', () => {
    fc.assert(
      fc.property(decisions, facts, (taken, world) => {
        expect(spoken(rule(foldStances(taken), world))).toBe(readOutLoud(taken, world));
      }),
      { numRuns: 5_000 },
    );
  });

  test('[DC-4] is a function of the set: order, repetition and batching do not matter', () => {
    fc.assert(
      fc.property(
        decisions.chain((taken) =>
          fc.tuple(
            fc.constant(taken),
            fc.shuffledSubarray([...taken], { minLength: taken.length }),
            fc.array(fc.constantFrom(...(taken.length === 0 ? [undefined] : taken)), { maxLength: 6 }),
            fc.nat(12),
          ),
        ),
        facts,
        ([taken, shuffled, repeated, cut], world) => {
          const expected = rule(foldStances(taken), world);
          const delivered = [...shuffled, ...repeated.filter((stance) => stance !== undefined)];
          // One part arrives together, the rest one by one.
          let stances = foldStances(delivered.slice(0, cut));
          for (const stance of delivered.slice(cut)) stances = addStance(stances, stance);
          expect(rule(stances, world)).toEqual(expected);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  test('[DC-3] a reject is final: nothing that comes before or after it revives the action', () => {
    fc.assert(
      fc.property(decisions, decisions, stanceOf(['reject', 'change']), facts, (before, after, reject, world) => {
        const all = [...before.filter((stance) => stance.hash !== reject.hash), reject, ...after];
        let stances = NO_STANCES;
        for (const stance of all) stances = addStance(stances, stance);
        expect(rule(stances, world).type).toBe('rejected');
      }),
      { numRuns: 1_000 },
    );
  });

  test('[DC-1] a decision about another version changes nothing', () => {
    fc.assert(
      fc.property(decisions, stanceOf(ITEM_KINDS), facts, (taken, stance, world) => {
        const result = takeStance(foldStances(taken), stance, world.digest);
        expect(result.ok).toBe(stance.digest === world.digest);
        // And one taken when it was about this version never approves another.
        const other = { ...world, digest: digestOf(3) };
        expect(rule(foldStances([{ ...stance, kind: 'approve' }]), other)).toEqual({ type: 'none' });
      }),
      { numRuns: 1_000 },
    );
  });

  test('requests that are no stance leave the ruling as it was', () => {
    const requests = stanceOf(['edit', 'reissue', 'revert', 'retry', 'settle', 'reconsider', 'anyway']);
    fc.assert(
      fc.property(decisions, requests, (taken, request) => {
        const stances = foldStances(taken);
        expect(addStance(stances, request)).toBe(stances);
        expect(foldStances([...taken, request])).toEqual(stances);
      }),
      { numRuns: 500 },
    );
  });

  test('revoking a device never turns a reject or another device’s hold around (the pure part of DC-8)', () => {
    fc.assert(
      fc.property(decisions, facts, fc.constantFrom(...DEVICES), (taken, world, device) => {
        const before = rule(foldStances(taken), { ...world, revoked: new Set<DeviceId>() });
        const after = rule(foldStances(taken), { ...world, revoked: new Set([device]) });
        const stillHeld = before.type === 'held' && before.by.some((by) => by.device !== device);
        expect(after.type === 'rejected').toBe(before.type === 'rejected');
        expect(after.type === 'held').toBe(stillHeld);
        expect(after.type === 'approved' && after.by.device === device).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});

test('[DC-2] a device is caught exactly when one of its numbers stands for two decisions', () => {
  fc.assert(
    fc.property(decisions, (taken) => {
      const caught = detectEquivocation([...taken, ...taken]);
      for (const device of DEVICES) {
        const own = taken.filter((stance) => stance.device === device);
        expect(caught.has(device)).toBe(new Set(own.map((stance) => stance.n)).size < own.length);
      }
    }),
    { numRuns: 1_000 },
  );
});
