import type { ActionId } from '../../model/ids.ts';
import { LEDGER_LIMITS, type LedgerAction } from '../../model/ledger.ts';
import { planReverts, type RevertIndex, type Revertible, type RevertPlan } from '../../model/revert-plan.ts';
import { numbersOf } from '../ledger/seq-set.ts';

/**
 * What reverting these takes back, as far as the ledger knows of it (CA-4). The runtime knows more: a plan that lacks
 * something is refused there, with the whole list.
 */
export function takesBack(records: Iterable<LedgerAction>, roots: readonly ActionId[]): RevertPlan<Revertible> {
  return planReverts(indexOf(records), roots);
}

function indexOf(records: Iterable<LedgerAction>): RevertIndex<Revertible> {
  const known = [...records];
  const idOf = new Map(known.map(({ id, seq }) => [seq, id]));
  const actions = new Map<ActionId, Revertible>();
  const dependants = new Map<ActionId, Revertible[]>();
  for (const { digest, id, needs, place, seq, state } of known) {
    const needed = [...numbersOf(needs, LEDGER_LIMITS.openMax)].flatMap((number) => idOf.get(number) ?? []);
    const action: Revertible = { id, seq, place, digest, state, needs: needed };
    actions.set(id, action);
    for (const need of needed) dependants.set(need, [...(dependants.get(need) ?? []), action]);
  }
  return { action: (id) => actions.get(id), dependantsOf: (id) => dependants.get(id) ?? [] };
}
