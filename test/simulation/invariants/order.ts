import type { ActionState } from '../../../src/model/action.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import { isIntent, isTogether, knownOf, nameOf, type Invariant, type Scene } from './invariant.ts';

const IN_LANE: ReadonlySet<ActionState> = new Set<ActionState>([
  'pending',
  'approved',
  'applying',
  'failed',
  'not-applied',
  'in-doubt',
]);

/** 7: nothing passes what stands before it. */
export const laneOrder: Invariant = {
  n: 7,
  says: 'Effects in a lane follow lane order',
  onRow: (scene, event) => {
    const action = knownOf(scene, event)?.action;
    if (!isIntent(event) || action === undefined) return undefined;
    for (const earlier of scene.chronicle.earlier(action.lane, action.place))
      if (isTogether(event.intent, earlier)) continue;
      else if (IN_LANE.has(earlier.state) || (earlier.state === 'applied' && earlier.contradicted))
        return `${nameOf(action)} passed ${nameOf(earlier)}`;
    return undefined;
  },
};

/** 8: what an action needs was applied before it. */
export const needsFirst: Invariant = {
  n: 8,
  says: 'Every action that an applied action needs was applied before it and not reverted',
  onRow: (scene, event) => {
    const action = knownOf(scene, event)?.action;
    if (!isIntent(event)) return undefined;
    const unmet = action?.needs.find((id) => {
      const need = scene.chronicle.open(id);
      return need?.state !== 'applied' && (need === undefined || !isTogether(event.intent, need));
    });
    return action && unmet && `${nameOf(action)} began while ${unmet} is ${scene.chronicle.open(unmet)?.state}`;
  },
};

/** 12: a reject is final, for it and for all that needs it. */
export const rejectIsFinal: Invariant = {
  n: 12,
  says: 'A reject never leads to what was rejected, or what needs it, being applied',
  onRow: (scene, event) => {
    if (!isIntent(event)) return undefined;
    const gone = [event.action, ...needed(scene, event.action)].find(
      (id) => scene.chronicle.actions.get(id)?.rejectedSeq !== undefined,
    );
    return gone && `#${event.n} began although ${gone} was rejected`;
  },
};

/** 24: what waits does not wait for itself. */
export const noCycle: Invariant = {
  n: 24,
  says: 'The wait graph has no cycle',
  onAction: (scene, { action }) => {
    const ahead = action.needs
      .map((id) => scene.chronicle.open(id))
      .find((need) => need !== undefined && IN_LANE.has(need.state) && need.place >= action.place);
    const waits = IN_LANE.has(action.state) || action.state === 'held';
    return waits && ahead ? `${nameOf(action)} needs ${nameOf(ahead)}, which stands behind it` : undefined;
  },
};

/** Everything it needs, directly or through others. */
export function needed(scene: Scene, id: ActionId): ReadonlySet<ActionId> {
  const found = new Set<ActionId>();
  const next = [id];
  for (let one = next.pop(); one !== undefined; one = next.pop())
    for (const need of scene.chronicle.open(one)?.needs ?? [])
      if (!found.has(need)) {
        found.add(need);
        next.push(need);
      }
  return found;
}
