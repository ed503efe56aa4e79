import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { UNCOMMITTED_STATES, type Action, type ActionState } from '../../../src/model/action.ts';
import { planCascade } from '../../../src/model/cascade.ts';
import type { ActionId } from '../../../src/model/ids.ts';
import { aid, inState, sid } from '../../unit/model/make-action.ts';
import { indexOf } from '../../unit/model/make-index.ts';
import { law, type Law } from './law.ts';

const STATES: readonly ActionState[] = ['pending', 'pending', 'approved', 'held', 'failed', 'not-applied', 'in-doubt'];

interface Drawn {
  readonly state: ActionState;
  readonly needs: readonly number[];
  readonly saw: readonly number[];
  readonly shown: boolean;
}

const worlds = fc.array(
  fc.record<Drawn>({
    state: fc.constantFrom(...STATES),
    needs: fc.array(fc.nat(30), { maxLength: 2, size: 'max' }),
    saw: fc.array(fc.nat(30), { maxLength: 3, size: 'max' }),
    shown: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25, size: 'max' },
);

/** What falls with an action, what is asked again, and who starts anew. */
export const CASCADE_LAWS = {
  isWhatTheRulesSay: law(
    100,
    fc.property(worlds, fc.array(fc.nat(24), { minLength: 1, maxLength: 3 }), (drawn, rootDraws) => {
      const actions = drawn.map(({ state, needs }, at) =>
        inState(state, at + 1, { needs: earlier(needs, at + 1).map(aid), place: ((at + 1) * 37) % 101 }),
      );
      const saw: Record<number, number[]> = {};
      for (const [at, draw] of drawn.entries()) for (const n of earlier(draw.saw, at + 1)) (saw[n] ??= []).push(at + 1);
      const shown = Object.fromEntries(drawn.map((draw, at) => [at + 1, draw.shown ? [sid(1)] : []]));
      const roots = new Set(rootDraws.map((n) => aid((n % drawn.length) + 1)));

      const plan = planCascade(indexOf(actions, { saw, shown }), roots);

      const reached = needers(actions, roots);
      const inOrder = actions.toSorted((a, b) => a.place - b.place);
      const fallen = inOrder.filter((a) => reached.has(a.id) && UNCOMMITTED_STATES.has(a.state)).map((a) => a.id);
      const stay = inOrder.filter((a) => reached.has(a.id) && !UNCOMMITTED_STATES.has(a.state)).map((a) => a.id);
      const withdrawn = new Set([...roots, ...fallen]);
      const misled = inOrder.filter(
        (a) =>
          !withdrawn.has(a.id) &&
          UNCOMMITTED_STATES.has(a.state) &&
          earlier(drawn[a.seq - 1]?.saw ?? [], a.seq).some((n) => withdrawn.has(aid(n))),
      );
      assert.deepEqual(plan.falls, fallen);
      assert.deepEqual(plan.committed, stay);
      assert.deepEqual(
        plan.lookAgain,
        misled.map((a) => a.id),
      );
      const seen = [...withdrawn].filter((id) => actions.some((a) => a.id === id && drawn[a.seq - 1]?.shown === true));
      assert.deepEqual([...plan.restart], seen.length === 0 ? [] : [[sid(1), seen]]);
    }),
  ),
} as const satisfies Record<string, Law>;

/** Earlier numbers only: an action cannot need or have seen what came after it. */
function earlier(draws: readonly number[], seq: number): readonly number[] {
  return [...new Set(draws.map((n) => n + 1).filter((n) => n < seq))];
}

/** Grows the set until nothing is added: what *transitive* means, with no walk at all. */
function needers(actions: readonly Action[], roots: ReadonlySet<ActionId>): ReadonlySet<ActionId> {
  const reached = new Set(roots);
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const action of actions) if (action.needs.some((id) => reached.has(id))) reached.add(action.id);
  }
  for (const root of roots) reached.delete(root);
  return reached;
}
