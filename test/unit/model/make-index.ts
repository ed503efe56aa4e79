import type { Action } from '../../../src/model/action.ts';
import type { NeedsIndex, SawIndex } from '../../../src/model/cascade.ts';
import type { LaneIndex } from '../../../src/model/drain-plan.ts';
import type { ActionId, SessionId } from '../../../src/model/ids.ts';
import { aid } from './make-action.ts';

/** Every index over a handful of open actions. `saw` and `shown` by sequence number of what was seen. */
export function indexOf(
  actions: readonly Action[],
  seen: {
    readonly saw?: Readonly<Record<number, readonly number[]>>;
    readonly shown?: Readonly<Record<number, readonly SessionId[]>>;
  } = {},
): NeedsIndex & SawIndex & LaneIndex & { readonly asked: () => number } {
  let asked = 0;
  const seqOf = (id: ActionId): number => actions.find((action) => action.id === id)?.seq ?? 0;
  return {
    open: (id) => actions.find((action) => action.id === id),
    dependantsOf: (id) => {
      asked += 1;
      return actions.filter((action) => action.needs.includes(id));
    },
    sawBy: (id) => {
      const seers = new Set(seen.saw?.[seqOf(id)]?.map(aid));
      return actions.filter((action) => seers.has(action.id));
    },
    shownTo: (id) => seen.shown?.[seqOf(id)] ?? [],
    lane: (lane) => actions.filter((action) => action.lane === lane).toSorted((a, b) => a.place - b.place),
    asked: () => asked,
  };
}
