import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNCOMMITTED_STATES, type Action } from '../../src/model/action.ts';
import { blockersOf, planLane, waitsFor } from '../../src/model/drain-plan.ts';
import type { ActionId } from '../../src/model/ids.ts';
import { Lab } from './model-lab.ts';

const LANES = ['session:1', 'session:2', 'page:7'] as const;

type Move =
  | { readonly do: 'propose'; readonly lane: (typeof LANES)[number]; readonly needs: readonly number[] }
  | {
      readonly do: 'approve' | 'hold' | 'release' | 'reject' | 'retry' | 'happened' | 'did-not' | 'contradict';
      readonly on: number;
    }
  | { readonly do: 'drain'; readonly lane: (typeof LANES)[number]; readonly outcome: 'applied' | 'failed' | 'doubted' };

const lane = fc.constantFrom(...LANES);
const propose = fc.record({
  do: fc.constant('propose' as const),
  lane,
  needs: fc.array(fc.nat(20), { maxLength: 2, size: 'max' }),
});
const drain = fc.record({
  do: fc.constant('drain' as const),
  lane,
  outcome: fc.constantFrom('applied' as const, 'failed' as const, 'doubted' as const, 'doubted' as const),
});
const on = fc.nat(20);
const decide = fc.record({
  do: fc.constantFrom(
    ...(['approve', 'approve', 'approve', 'hold', 'release', 'retry', 'happened', 'did-not'] as const),
  ),
  on,
});
const rare = fc.record({ do: fc.constantFrom('reject' as const, 'contradict' as const, 'contradict' as const), on });

const moves: fc.Arbitrary<readonly Move[]> = fc
  .tuple(
    fc.array(propose, { minLength: 2, maxLength: 8, size: 'max' }),
    fc.array(
      fc.oneof(
        { arbitrary: propose, weight: 2 },
        { arbitrary: drain, weight: 6 },
        { arbitrary: decide, weight: 10 },
        { arbitrary: rare, weight: 1 },
      ),
      { minLength: 10, maxLength: 60, size: 'max' },
    ),
  )
  .map(([first, then]) => [...first, ...then]);

/** What each move is worth trying on. */
const WORTH: Record<Extract<Move, { on: number }>['do'], (action: Action) => boolean> = {
  approve: (action) => action.state === 'pending',
  hold: () => true,
  release: (action) => action.state === 'held',
  reject: () => true,
  retry: (action) => action.state === 'failed' || action.state === 'not-applied',
  happened: (action) => action.state === 'in-doubt',
  'did-not': (action) => action.state === 'in-doubt',
  contradict: (action) =>
    (action.state === 'applied' && action.applied.known === 'settled') ||
    action.state === 'not-applied' ||
    (action.state === 'rejected' && action.afterDidNot),
};

/** The n-th of all, counted round: every number names one. */
function pick(actions: readonly Action[], n: number): ActionId | undefined {
  return actions[n % Math.max(1, actions.length)]?.id;
}

function play(lab: Lab, move: Move): void {
  if (move.do === 'propose') {
    const needs = move.needs.map((n) => pick(lab.openOnes(), n)).filter((id) => id !== undefined);
    return lab.propose(move.lane, [...new Set(needs)]);
  }
  if (move.do === 'drain') return void lab.drain(move.lane, move.outcome);
  const id = pick(lab.all().filter(WORTH[move.do]), move.on);
  if (id === undefined) return;
  if (move.do === 'happened' || move.do === 'did-not') return lab.settle(id, move.do === 'happened');
  lab[move.do](id);
}

/** What the law says must hold whenever nothing is in between. */
function broken(lab: Lab): readonly string[] {
  const wrong: string[] = [];
  const open = lab.openOnes();
  if (new Set(open.map((action) => action.place)).size < open.length) wrong.push('two actions share a place');
  for (const action of open) {
    for (const id of action.needs) {
      const need = lab.open(id);
      if (need !== undefined && need.place >= action.place) wrong.push(`#${action.seq} needs #${need.seq}, behind it`);
      if (UNCOMMITTED_STATES.has(action.state) && lab.get(id).state === 'rejected')
        wrong.push(`#${action.seq} stands without #${lab.get(id).seq}`);
    }
    const holders = holdersOf(lab, action);
    const parked = action.state === 'held' ? action.parked : { own: false, heldWith: [] };
    if (parked.heldWith.toSorted().join() !== holders.toSorted().join())
      wrong.push(`#${action.seq} (${action.state}) is parked with ${parked.heldWith.length}, not ${holders.length}`);
    if (action.state === 'held' && !parked.own && holders.length === 0)
      wrong.push(`#${action.seq} is parked for nothing`);
  }
  return wrong;
}

/** The held-in-their-own-right actions this one needs, found the slow way. */
function holdersOf(lab: Lab, action: Action): readonly ActionId[] {
  const holders = new Set<ActionId>();
  const visit = (id: ActionId): void => {
    const need = lab.open(id);
    if (need === undefined) return;
    if (need.state === 'held' && need.parked.own) holders.add(id);
    need.needs.forEach(visit);
  };
  action.needs.forEach(visit);
  return [...holders];
}

function hasCycle(lab: Lab): boolean {
  const done = new Set<ActionId>();
  const onPath = new Set<ActionId>();
  const visit = (id: ActionId): boolean => {
    if (onPath.has(id)) return true;
    if (done.has(id)) return false;
    onPath.add(id);
    const found = [...blockersOf(lab, id), ...(lab.open(id)?.needs ?? [])].some(visit);
    onPath.delete(id);
    done.add(id);
    return found;
  };
  return lab.openOnes().some((action) => visit(action.id));
}

/**
 * Goal: whatever people hold, release, approve, reject, retry and settle, and whatever comes of attempts, order stays sound.
 * Method: random moves on three lanes with random needs; after each, the law is checked the slow way.
 */
test('[DR-9] needs point backwards, groups park whole, and nothing waits in a circle', () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      const lab = new Lab();
      for (const move of sequence) {
        play(lab, move);
        expect(broken(lab)).toEqual([]);
      }
      expect(hasCycle(lab)).toBe(false);
    }),
    { numRuns: 600 },
  );
});

test('[DR-1] [DR-4] a lane begins only its first action, and only when all it needs is applied', () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      const lab = new Lab();
      for (const move of sequence) {
        play(lab, move);
        for (const name of LANES) expect(planLane(lab, lab.lane(name))).toEqual(planTheSlowWay(lab, name));
      }
    }),
    { numRuns: 300 },
  );
});

/** DR-1 as one would say it: who is first in line of those in the lane, and is everything true that it stands on? */
function planTheSlowWay(lab: Lab, name: string): unknown {
  const inLine = lab.lane(name).filter((action) => action.state !== 'held');
  const firstApproved = inLine.find((action) => action.state === 'approved');
  if (firstApproved === undefined) return { type: 'idle' };
  const [first] = inLine;
  const unmet = firstApproved.needs.map((id) => lab.get(id)).find((need) => need.state !== 'applied');
  const blocker = first === firstApproved ? unmet : first;
  if (blocker === undefined) return { type: 'run', id: firstApproved.id };
  const why = blocker.state === 'pending' ? 'undecided' : blocker.state;
  return { type: 'wait', id: firstApproved.id, for: blocker.id, why };
}

test('[DR-1] what waits says for whom: the front of its lane, and what it needs elsewhere', () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      const lab = new Lab();
      for (const move of sequence) play(lab, move);
      for (const action of lab.openOnes()) {
        const waiting = action.state === 'approved' || action.state === 'pending';
        const before = lab.lane(action.lane).filter((other) => other.place < action.place && other.state !== 'held');
        const needs = action.needs.map((id) => lab.get(id)).filter((need) => need.state !== 'applied');
        const all = new Set([...before, ...needs].map((other) => other.id));
        expect(new Set(blockersOf(lab, action.id))).toEqual(waiting ? all : new Set());
        const elsewhere = needs.filter((need) => need.lane !== action.lane);
        const first = new Set([...before.slice(0, 1), ...elsewhere].map((other) => other.id));
        expect(new Set(waitsFor(lab, action.id))).toEqual(waiting ? first : new Set());
      }
    }),
    { numRuns: 300 },
  );
});

test('[DR-9] [DR-1] once all is approved and released, everything ends, each after what it needs', () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      const lab = new Lab();
      for (const move of sequence) play(lab, move);
      for (let round = 0; round < 400 && lab.openOnes().length > 0; round += 1) {
        for (const action of lab.openOnes()) {
          lab.release(action.id);
          lab.approve(action.id);
          lab.retry(action.id);
          lab.settle(action.id, true);
        }
        for (const name of LANES) lab.drain(name, 'applied');
      }
      expect(lab.openOnes().map((action) => `#${action.seq} ${action.state}`)).toEqual([]);
      expect(lab.all().filter((action) => appliedBeforeItsNeeds(lab, action))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** Late evidence can take a need away again after the fact; the first time each was applied counts. */
function appliedBeforeItsNeeds(lab: Lab, action: Action): boolean {
  const at = lab.appliedOrder.indexOf(action.id);
  return (
    at !== -1 &&
    action.needs.some((id) =>
      lab.appliedOrder.indexOf(id) === -1 ? lab.get(id).state !== 'applied' : lab.appliedOrder.indexOf(id) > at,
    )
  );
}
