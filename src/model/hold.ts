import { err, ok, type Result } from '../base/result.ts';
import type { Action, Parked } from './action.ts';
import { dependantsOfAll, type NeedsIndex } from './cascade.ts';
import type { ActionId } from './ids.ts';

/** A transition `held`: the action parks, or is parked for other reasons or in another place than before. */
export interface Park {
  readonly id: ActionId;
  readonly parked: Parked;
  readonly place?: number;
}

/** What lifting a hold does. `released` go back into the lane, `parked` stay out of it; both in the order of their new places. */
export interface ReleasePlan {
  readonly released: readonly { readonly id: ActionId; readonly place: number }[];
  readonly parked: readonly Park[];
  /** The next free place after the plan. */
  readonly nextPlace: number;
}

/**
 * Parks an action and everything that needs it (DR-9): one `held` transition per entry, in the order of places.
 * Empty when the action is held in its own right already.
 */
export function planHold(index: NeedsIndex, id: ActionId): Result<readonly Park[]> {
  const action = index.open(id);
  if (action === undefined) return err('It is settled; there is nothing to hold.');
  if (!canPark(action)) return err(`#${action.seq} is ${action.state}; only what has not begun can be held.`);
  if (action.state === 'held' && action.parked.own) return ok([]);

  const dependants = dependantsOfAll(index, [id]);
  // Only late evidence against a settle makes an action need one that is not applied after it has itself begun.
  const begun = dependants.find((dependant) => !canPark(dependant));
  if (begun !== undefined)
    return err(`#${begun.seq} needs #${action.seq} and is ${begun.state}; settle #${begun.seq} first.`);

  const joins = dependants.map((dependant): Park => {
    const { own, heldWith } = parkedOf(dependant);
    return { id: dependant.id, parked: { own, heldWith: [...heldWith, id] } };
  });
  return ok([{ id, parked: { own: true, heldWith: parkedOf(action).heldWith } }, ...joins]);
}

/**
 * Lifts an action's own hold (DR-9). If nothing else parks it, it and all that needs it move to the tail in their old
 * order, each behind what it needs; those that another hold parks as well move too, still parked. So `needs` points
 * backwards always, also among what is parked.
 */
export function planRelease(index: NeedsIndex, id: ActionId, nextPlace: number): Result<ReleasePlan> {
  const action = index.open(id);
  if (action === undefined || action.state !== 'held') return err('It is not held; there is nothing to release.');
  if (!action.parked.own) return err(`#${action.seq} has no hold of its own: it is parked with what it needs.`);

  const group = [action, ...dependantsOfAll(index, [id])].filter((member) => member.state === 'held');
  const moves = action.parked.heldWith.length === 0;
  const released: { id: ActionId; place: number }[] = [];
  const parked: Park[] = [];
  let place = nextPlace;
  for (const member of group) {
    const left = without(member, id);
    const at = moves ? { place: place++ } : {};
    if (left !== null) parked.push({ id: member.id, parked: left, ...at });
    else if (at.place !== undefined) released.push({ id: member.id, place: at.place });
  }
  return ok({ released, parked, nextPlace: place });
}

/** How a new action with these needs is born: parked when one of them is, `null` otherwise (DR-9). */
export function bornParked(index: Pick<NeedsIndex, 'open'>, needs: Iterable<ActionId>): Parked | null {
  const heldWith = new Set<ActionId>();
  for (const id of needs) {
    const need = index.open(id);
    if (need?.state !== 'held') continue;
    if (need.parked.own) heldWith.add(id);
    for (const other of need.parked.heldWith) heldWith.add(other);
  }
  return heldWith.size === 0 ? null : { own: false, heldWith: [...heldWith] };
}

function canPark(action: Action): boolean {
  return action.state === 'pending' || action.state === 'approved' || action.state === 'held';
}

function parkedOf(action: Action): Parked {
  return action.state === 'held' ? action.parked : { own: false, heldWith: [] };
}

/** Why a member stays parked when the hold of `id` is lifted; `null` when nothing is left that parks it. */
function without(member: Action, id: ActionId): Parked | null {
  const { own, heldWith } = parkedOf(member);
  if (member.id === id) return heldWith.length === 0 ? null : { own: false, heldWith };
  const left = heldWith.filter((other) => other !== id);
  return own || left.length > 0 ? { own, heldWith: left } : null;
}
