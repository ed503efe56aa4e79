import { unreachable } from '../base/assert.ts';
import type { Action, Attention } from './action.ts';
import { byPlace, type NeedsIndex, type Placed } from './cascade.ts';
import type { ActionId } from './ids.ts';

/** What order asks of an action: the authority has the whole of it, a device what the ledger says of it. */
export interface InLane extends Placed {
  readonly lane: string;
  readonly needs: readonly ActionId[];
  readonly attention?: Attention | null;
  readonly contradicted?: boolean;
}

/** Why one action cannot begin because of another. */
export type WaitWhy =
  | 'undecided'
  | 'conflict'
  | 'approved'
  | 'applying'
  | 'failed'
  | 'not-applied'
  | 'in-doubt'
  | 'contradicted'
  | 'held'
  | 'reverting'
  | 'gone';

/** What a lane does next: begin one action, wait with an approved one, or nothing because nothing is approved. */
export type LanePlan =
  | { readonly type: 'run'; readonly id: ActionId }
  | { readonly type: 'wait'; readonly id: ActionId; readonly for: ActionId; readonly why: WaitWhy }
  | { readonly type: 'idle' };

interface Blocker {
  readonly action: InLane;
  readonly why: WaitWhy;
}

export interface LaneIndex<A extends InLane = Action> extends Pick<NeedsIndex<A>, 'open'> {
  /** The open actions of a lane in the order of places. */
  lane(lane: string): Iterable<A>;
}

/**
 * Strict lane order (DR-1): the first action that is still in the lane runs if it is approved and all it needs, in
 * whatever lane, is applied. Held actions are passed over; one that is undecided or that a person must settle stops
 * the lane (DR-4). `actions` is the lane in the order of places; settled ones may be left out. An `applied` one that
 * late evidence contradicted stops the lane while it is in the list (EF-6).
 */
export function planLane(index: Pick<NeedsIndex<InLane>, 'open'>, actions: Iterable<InLane>): LanePlan {
  let stop: Blocker | undefined;
  for (const action of actions) {
    if (action.state === 'approved') {
      const blocker = stop ?? firstOf(unmetNeeds(index, action));
      if (blocker === undefined) return { type: 'run', id: action.id };
      return { type: 'wait', id: action.id, for: blocker.action.id, why: blocker.why };
    }
    stop ??= stopOf(action);
  }
  return { type: 'idle' };
}

/**
 * What a waiting action waits for, for display: the first that stands before it in its lane, then what it needs from
 * other lanes. Empty for an action that is not, or not yet, in a lane.
 */
export function waitsFor(index: LaneIndex<InLane>, id: ActionId): readonly ActionId[] {
  const action = index.open(id);
  if (action === undefined) return [];
  const first = firstOf(lanesBlockers(index, action));
  const needs = [...unmetNeeds(index, action)].filter((blocker) => blocker.action.lane !== action.lane);
  return idsOf([...(first === undefined ? [] : [first]), ...needs]);
}

/** Everything that must be applied, held or rejected before this one can begin, in the order of places. */
export function blockersOf(index: LaneIndex<InLane>, id: ActionId): readonly ActionId[] {
  const action = index.open(id);
  if (action === undefined) return [];
  return idsOf([...lanesBlockers(index, action), ...unmetNeeds(index, action)]);
}

/** What stands before an action that waits for its turn in its own lane, from the front. */
function* lanesBlockers(index: LaneIndex<InLane>, action: InLane): Generator<Blocker> {
  if (!waitsForItsTurn(action)) return;
  for (const earlier of index.lane(action.lane)) {
    // Two can have one place: what a person replaced, and late evidence brought back, stands before what replaced it.
    if (earlier.id === action.id || earlier.place > action.place) return;
    const stop = stopOf(earlier);
    if (stop !== undefined) yield stop;
  }
}

/** Needs that are not applied. One that has left memory is: what needed a rejected or reverted action fell with it. */
function* unmetNeeds(index: Pick<NeedsIndex<InLane>, 'open'>, action: InLane): Generator<Blocker> {
  if (!waitsForItsTurn(action)) return;
  for (const id of action.needs) {
    const need = index.open(id);
    const why = need === undefined ? undefined : unmetBecause(need);
    if (need !== undefined && why !== undefined) yield { action: need, why };
  }
}

function waitsForItsTurn(action: InLane): boolean {
  return action.state === 'approved' || action.state === 'pending';
}

/** Does it stop the lane behind it? A revert runs outside lanes (CA-3), and what is held or over is not in one. */
function stopOf(action: InLane): Blocker | undefined {
  if (action.state === 'applied' && action.contradicted === true) return { action, why: 'contradicted' };
  const why = unmetBecause(action);
  if (why === undefined || why === 'held' || why === 'reverting' || why === 'gone') return undefined;
  return { action, why };
}

/** Why this action's effect cannot be counted on; `undefined` when it is applied. */
function unmetBecause(action: InLane): WaitWhy | undefined {
  switch (action.state) {
    case 'pending':
      return action.attention?.kind === 'conflict' ? 'conflict' : 'undecided';
    case 'applied':
      return undefined;
    case 'reverting':
    case 'revert-in-doubt':
      return 'reverting';
    case 'reverted':
    case 'rejected':
      return 'gone';
    case 'approved':
    case 'held':
    case 'applying':
    case 'failed':
    case 'not-applied':
    case 'in-doubt':
      return action.state;
    default:
      return unreachable(action.state);
  }
}

function firstOf(blockers: Iterable<Blocker>): Blocker | undefined {
  for (const blocker of blockers) return blocker;
  return undefined;
}

function idsOf(blockers: readonly Blocker[]): readonly ActionId[] {
  const actions = new Set(blockers.map((blocker) => blocker.action));
  return [...actions].toSorted(byPlace).map((action) => action.id);
}
