import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { ITEM_KINDS } from '../../../src/model/decision.ts';
import type { DeviceId } from '../../../src/model/ids.ts';
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
} from '../../../src/model/ruling.ts';
import { digestOf } from '../../unit/model/make-action.ts';
import { law, type Law } from './law.ts';
import { decisions, DEVICES, facts, stanceOf } from './ruling-inputs.ts';

/** What holds of every ruling (semantics, decisions). */
export const RULING_LAWS = {
  isWhatTheRulesSay: law(
    200,
    fc.property(decisions, facts, (taken, world) => {
      assert.equal(spoken(rule(foldStances(taken), world)), readOutLoud(taken, world));
    }),
  ),

  isOfTheSet: law(
    200,
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
        assert.deepEqual(rule(stances, world), expected);
      },
    ),
  ),

  aRejectIsFinal: law(
    50,
    fc.property(decisions, decisions, stanceOf(['reject', 'change']), facts, (before, after, reject, world) => {
      const all = [...before.filter((stance) => stance.hash !== reject.hash), reject, ...after];
      let stances = NO_STANCES;
      for (const stance of all) stances = addStance(stances, stance);
      assert.equal(rule(stances, world).type, 'rejected');
    }),
  ),

  isOfOneVersion: law(
    50,
    fc.property(decisions, stanceOf(ITEM_KINDS), facts, (taken, stance, world) => {
      const result = takeStance(foldStances(taken), stance, world.digest);
      assert.equal(result.ok, stance.digest === world.digest);
      // And one taken when it was about this version never approves another.
      const other = { ...world, digest: digestOf(3) };
      assert.deepEqual(rule(foldStances([{ ...stance, kind: 'approve' }]), other), { type: 'none' });
    }),
  ),

  ignoresRequests: law(
    20,
    fc.property(
      decisions,
      stanceOf(['edit', 'reissue', 'revert', 'retry', 'settle', 'reconsider', 'anyway']),
      (taken, request) => {
        const stances = foldStances(taken);
        assert.equal(addStance(stances, request), stances);
        assert.deepEqual(foldStances([...taken, request]), stances);
      },
    ),
  ),

  revokingTurnsNothingAround: law(
    50,
    fc.property(decisions, facts, fc.constantFrom(...DEVICES), (taken, world, device) => {
      const before = rule(foldStances(taken), { ...world, revoked: new Set<DeviceId>() });
      const after = rule(foldStances(taken), { ...world, revoked: new Set([device]) });
      const stillHeld = before.type === 'held' && before.by.some((by) => by.device !== device);
      assert.equal(after.type === 'rejected', before.type === 'rejected');
      assert.equal(after.type === 'held', stillHeld);
      assert.equal(after.type === 'approved' && after.by.device === device, false);
    }),
  ),

  catchesEquivocation: law(
    30,
    fc.property(decisions, (taken) => {
      const caught = detectEquivocation([...taken, ...taken]);
      for (const device of DEVICES) {
        const own = taken.filter((stance) => stance.device === device);
        assert.equal(caught.has(device), new Set(own.map((stance) => stance.n)).size < own.length);
      }
    }),
  ),
} as const satisfies Record<string, Law>;

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
