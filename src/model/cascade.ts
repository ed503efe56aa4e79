import { UNCOMMITTED_STATES, type Action, type ActionState } from './action.ts';
import type { ActionId, SessionId } from './ids.ts';

/** What a cascade asks of an action: the authority has the whole of it, a device what the ledger says of it. */
export interface Placed {
  readonly id: ActionId;
  readonly place: number;
  readonly state: ActionState;
}

/** The *needs* edges of what is open. Every answer costs what it returns, never what is in history. */
export interface NeedsIndex<A extends Placed = Action> {
  /** `undefined` for what is settled and has left memory. */
  open(id: ActionId): A | undefined;
  /** Open actions that need this one directly. */
  dependantsOf(id: ActionId): Iterable<A>;
}

/** The *saw* edges (SM-6): who was shown an action's simulated effect. */
export interface SawIndex<A extends Placed = Action> {
  /** Open actions proposed after their session had been shown this one's effect. */
  sawBy(id: ActionId): Iterable<A>;
  /** Root sessions that were shown this one's effect. */
  shownTo(id: ActionId): Iterable<SessionId>;
}

/** What the end of some actions, the roots, brings with it. Lists are in the order of places. */
export interface CascadePlan {
  /** Falls with it: uncommitted, and needs it directly or through others (CA-1). */
  readonly falls: readonly ActionId[];
  /**
   * Needs it and is past its commit point: nothing here ends it, reverting it is a plan of its own (CA-4). One that
   * turns out not to have happened falls then, since what it needs is gone.
   */
  readonly committed: readonly ActionId[];
  /** Must be looked at again: undecided or approved after its session saw what is withdrawn (SM-7). */
  readonly lookAgain: readonly ActionId[];
  /** Per root session that was shown any of it: exactly what was withdrawn, roots first. Who is missing needs no restart (SM-7). */
  readonly restart: ReadonlyMap<SessionId, readonly ActionId[]>;
}

/** States an attention can be raised in; the others are decided by their outcome. What failed is asked at its retry. */
const LOOKED_AT_AGAIN: ReadonlySet<ActionState> = UNCOMMITTED_STATES;

/** What falls and what must be looked at again when these actions are rejected, withdrawn or reverted. */
export function planCascade(index: NeedsIndex<Placed> & SawIndex<Placed>, roots: Iterable<ActionId>): CascadePlan {
  const rootIds = [...new Set(roots)];
  const dependants = dependantsOfAll(index, rootIds);
  const falling = dependants.filter((action) => UNCOMMITTED_STATES.has(action.state));
  const falls = falling.map((action) => action.id);
  const withdrawn = [...rootIds, ...falls];
  return {
    falls,
    committed: dependants.filter((action) => !UNCOMMITTED_STATES.has(action.state)).map((action) => action.id),
    lookAgain: whoSaw(index, withdrawn),
    restart: shownPerSession(index, withdrawn),
  };
}

/** Everything open that needs one of these, directly or through others, in the order of places; never one of them. */
export function dependantsOfAll<A extends Placed>(
  index: Pick<NeedsIndex<A>, 'dependantsOf'>,
  roots: readonly ActionId[],
): readonly A[] {
  const met = new Set<ActionId>(roots);
  const found: A[] = [];
  const next = [...roots];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    for (const dependant of index.dependantsOf(id)) {
      if (met.has(dependant.id)) continue;
      met.add(dependant.id);
      found.push(dependant);
      next.push(dependant.id);
    }
  }
  return found.toSorted(byPlace);
}

export function byPlace(a: Pick<Placed, 'place'>, b: Pick<Placed, 'place'>): number {
  return a.place - b.place;
}

function whoSaw(index: SawIndex<Placed>, withdrawn: readonly ActionId[]): readonly ActionId[] {
  const gone = new Set(withdrawn);
  const saw = new Map<ActionId, Placed>();
  for (const id of withdrawn) {
    for (const action of index.sawBy(id)) {
      if (!gone.has(action.id) && LOOKED_AT_AGAIN.has(action.state)) saw.set(action.id, action);
    }
  }
  return [...saw.values()].toSorted(byPlace).map((action) => action.id);
}

function shownPerSession(
  index: SawIndex<Placed>,
  withdrawn: readonly ActionId[],
): ReadonlyMap<SessionId, readonly ActionId[]> {
  const shown = new Map<SessionId, ActionId[]>();
  for (const id of withdrawn) {
    for (const session of index.shownTo(id)) {
      const ids = shown.get(session);
      if (ids === undefined) shown.set(session, [id]);
      else ids.push(id);
    }
  }
  return shown;
}
