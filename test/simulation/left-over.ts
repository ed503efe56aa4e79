import type { Authority } from '../../src/authority/authority.ts';
import type { Action } from '../../src/model/action.ts';
import { planLane } from '../../src/model/drain-plan.ts';
import type { GateCode } from '../../src/model/owner-port.ts';
import { isOver } from './chronicle.ts';
import type { DoorPerson } from './people.ts';
import type { Runner } from './runner.ts';
import type { Stage } from './stage.ts';

/** Gates that nothing opens by itself: another branch, and a host that has its agent plan. */
const SHUT_FOR_GOOD: ReadonlySet<GateCode> = new Set<GateCode>(['ground-moved', 'plan-mode']);

/** What of a simulation that has healed is left over (24). */
export function* leftOver(
  { chronicle, world }: Pick<Stage, 'chronicle' | 'world'>,
  moves: {
    readonly runner: Pick<Runner, 'state' | 'life'> & { readonly authority: Pick<Authority, 'queue'> | undefined };
    readonly doors: readonly Pick<DoorPerson, 'id' | 'outbox'>[];
  },
): Generator<string> {
  const { authority } = moves.runner;
  if (authority === undefined) {
    yield `the authority is ${moves.runner.state}`;
    return;
  }
  for (const person of moves.doors)
    if (person.outbox.length > 0) yield `${person.id} has ${person.outbox.length} decisions without a receipt`;
  const open = (id: Action['id']): Action | undefined => {
    const action = chronicle.open(id);
    return action === undefined || isOver(action) ? undefined : action;
  };
  const rows = new Map(authority.queue({ all: true }).map((row) => [row.id, row]));
  for (const [lane, ids] of chronicle.lanes) {
    const actions = [...ids].flatMap((id) => open(id) ?? []).toSorted((a, b) => a.place - b.place);
    const plan = planLane({ open }, actions);
    // What only a person or the world opens may stay shut.
    const gate = plan.type === 'run' ? rows.get(plan.id)?.gate?.code : undefined;
    if (plan.type === 'run' && (gate === undefined || !SHUT_FOR_GOOD.has(gate)))
      yield `${lane} could run ${plan.id}, and does not (${gate ?? 'no gate'})`;
  }
  for (const { action } of chronicle.actions.values()) {
    if (action.state === 'applying' || action.state === 'reverting') yield `#${action.seq} is still ${action.state}`;
    const gone = action.needs.find((id) => chronicle.open(id)?.state === 'rejected');
    const stands = ['pending', 'approved', 'held', 'failed', 'not-applied'].includes(action.state);
    if (stands && gone !== undefined)
      yield `#${action.seq} is ${action.state}, and ${gone}, which it needs, was rejected`;
  }
  for (const { action, attempts } of chronicle.actions.values()) {
    const { key, n } = attempts.at(-1) ?? { key: '', n: 0 };
    if (action.state === 'in-doubt' && world.toldLife(key, n) === moves.runner.life)
      yield `#${action.seq} is in doubt about attempt ${n}, of which the surface has told`;
  }
  for (const { action } of chronicle.actions.values()) {
    const row = rows.get(action.id);
    if (row === undefined) yield `the authority does not know #${action.seq}`;
    else if (row.state !== action.state || row.digest !== action.digest)
      yield `the authority has #${action.seq} as ${row.state}, its journal as ${action.state}`;
  }
}
