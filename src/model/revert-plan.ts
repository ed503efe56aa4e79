import { canonicalBytes } from '../base/canonical-json.ts';
import type { Sha256 } from '../crypto/ports.ts';
import { UNCOMMITTED_STATES } from './action.ts';
import { byPlace, type Placed } from './cascade.ts';
import { digestFrom } from './digest.ts';
import type { ActionId, Digest, WorkspaceId } from './ids.ts';

/** What a plan asks of an action: the authority has the whole of it, a device what the ledger says of it. */
export interface Revertible extends Placed {
  readonly seq: number;
  readonly digest: Digest;
  readonly needs: readonly ActionId[];
}

/** The *needs* edges of what was applied, too: what is settled has left the queue, and still stands on what it needs. */
export interface RevertIndex<A extends Revertible> {
  action(id: ActionId): A | undefined;
  /** Every action, open or applied, that needs this one directly. */
  dependantsOf(id: ActionId): Iterable<A>;
}

/** What reverting some actions takes back, the last that was done first (CA-4). */
export interface RevertPlan<A extends Revertible> {
  readonly steps: readonly A[];
  /** The same steps, in lists that have nothing to do with each other: one that is stopped does not stop the rest. */
  readonly groups: readonly (readonly A[])[];
  /** Needs a step, and is in the middle of something: until that has ended, what it needs must stay. */
  readonly inTheWay: readonly A[];
}

/** All that must be taken back before, and with, these: each step before what it needs. */
export function planReverts<A extends Revertible>(index: RevertIndex<A>, roots: readonly ActionId[]): RevertPlan<A> {
  const steps = new Map<ActionId, A>();
  const inTheWay = new Map<ActionId, A>();
  const next = roots.flatMap((id) => index.action(id) ?? []);
  for (let action = next.pop(); action !== undefined; action = next.pop()) {
    if (action.state === 'applied' && !steps.has(action.id)) {
      steps.set(action.id, action);
      next.push(...index.dependantsOf(action.id));
    } else if (isUnderWay(action)) inTheWay.set(action.id, action);
  }
  const ordered = [...steps.values()].toSorted(byPlace).toReversed();
  return { steps: ordered, groups: groupsOf(ordered), inTheWay: [...inTheWay.values()].toSorted(byPlace) };
}

/** What a person signs who has seen the plan: these actions, as they are, in this order. */
export function planHash(
  sha256: Sha256,
  workspace: WorkspaceId,
  steps: readonly Pick<Revertible, 'id' | 'digest'>[],
): Digest {
  const list = steps.map(({ digest, id }) => [id, digest]);
  return digestFrom(sha256(canonicalBytes(['countersign revert-plan|1', workspace, list])));
}

/** Neither applied, nor over, nor something that simply falls when what it needs is taken back. */
function isUnderWay({ state }: Revertible): boolean {
  return state !== 'applied' && state !== 'reverted' && state !== 'rejected' && !UNCOMMITTED_STATES.has(state);
}

/** Steps that need each other, directly or through others, belong together. */
function groupsOf<A extends Revertible>(ordered: readonly A[]): readonly (readonly A[])[] {
  const groupOf = new Map<ActionId, Set<A>>(ordered.map((step) => [step.id, new Set([step])]));
  for (const step of ordered) {
    for (const need of step.needs) {
      const [mine, theirs] = [groupOf.get(step.id), groupOf.get(need)];
      if (mine === undefined || theirs === undefined || mine === theirs) continue;
      for (const member of theirs) {
        mine.add(member);
        groupOf.set(member.id, mine);
      }
    }
  }
  return [...new Set(groupOf.values())].map((group) => [...group].toSorted(byPlace).toReversed());
}
