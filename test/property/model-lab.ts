import type { Action } from '../../src/model/action.ts';
import { planCascade, type NeedsIndex, type SawIndex } from '../../src/model/cascade.ts';
import { planLane, type LaneIndex, type LanePlan } from '../../src/model/drain-plan.ts';
import type { Transition } from '../../src/model/event.ts';
import { bornParked, planHold, planRelease } from '../../src/model/hold.ts';
import type { ActionId, SessionId } from '../../src/model/ids.ts';
import { step } from '../../src/model/lifecycle.ts';
import { APPLIED, common, did, INTENT } from '../unit/model/make-action.ts';

const BY = { type: 'device', device: did(1), n: 1 } as const;
const SOURCE = { type: 'decision', device: did(1), n: 1 } as const;
const SETTLED: ReadonlySet<string> = new Set(['applied', 'reverted', 'rejected']);

export type Outcome = 'applied' | 'failed' | 'doubted';

/**
 * A workspace without disk, documents or time: actions live and die by `step`, and by the plans under test.
 * What it keeps it keeps in the plainest way, so that it can be right by reading it.
 */
export class Lab implements NeedsIndex, SawIndex, LaneIndex {
  readonly #actions = new Map<ActionId, Action>();
  readonly appliedOrder: ActionId[] = [];
  #lastPlace = 0;

  all(): readonly Action[] {
    return [...this.#actions.values()];
  }

  openOnes(): readonly Action[] {
    return this.all().filter((action) => !SETTLED.has(action.state));
  }

  get(id: ActionId): Action {
    const action = this.#actions.get(id);
    if (action === undefined) throw new Error(`${id} was never proposed`);
    return action;
  }

  open(id: ActionId): Action | undefined {
    const action = this.#actions.get(id);
    return action === undefined || SETTLED.has(action.state) ? undefined : action;
  }

  dependantsOf(id: ActionId): readonly Action[] {
    return this.openOnes().filter((action) => action.needs.includes(id));
  }

  sawBy(): readonly Action[] {
    return [];
  }

  shownTo(): readonly SessionId[] {
    return [];
  }

  lanes(): readonly string[] {
    return [...new Set(this.openOnes().map((action) => action.lane))];
  }

  lane(lane: string): readonly Action[] {
    return this.openOnes()
      .filter((action) => action.lane === lane)
      .toSorted((a, b) => a.place - b.place);
  }

  propose(lane: string, needs: readonly ActionId[]): void {
    const place = (this.#lastPlace += 1);
    const born = common(this.#actions.size + 1, { place, lane, needs });
    const parked = bornParked(this, needs);
    const undecided = { ...born, attention: null };
    this.#actions.set(
      born.id,
      parked === null ? { ...undecided, state: 'pending' } : { ...undecided, state: 'held', parked },
    );
  }

  /** `true` when the transition was allowed. */
  take(id: ActionId, transition: Transition): boolean {
    const result = step(this.get(id), transition, 1_000);
    if (result.ok) this.#actions.set(id, result.action);
    return result.ok;
  }

  approve(id: ActionId): void {
    this.take(id, { kind: 'approved', by: SOURCE });
  }

  retry(id: ActionId): void {
    this.take(id, { kind: 'retried', by: SOURCE });
  }

  hold(id: ActionId): void {
    const plan = planHold(this, id);
    if (!plan.ok) return;
    for (const park of plan.value) this.#must(park.id, { kind: 'held', by: BY, ...park });
  }

  release(id: ActionId): void {
    const plan = planRelease(this, id, this.#lastPlace + 1);
    if (!plan.ok) return;
    for (const park of plan.value.parked) this.#must(park.id, { kind: 'held', by: BY, ...park });
    for (const { id: freed, place } of plan.value.released) this.#must(freed, { kind: 'released', place, by: BY });
    this.#lastPlace = plan.value.nextPlace - 1;
  }

  reject(id: ActionId): void {
    const { falls } = planCascade(this, [id]);
    const ending = { kind: 'rejected', by: BY, reason: null } as const;
    if (!this.take(id, { ...ending, because: 'person', felledBy: null })) return;
    for (const fallen of falls) this.#must(fallen, { ...ending, because: 'cascade', felledBy: id });
  }

  /** Lets a lane do what its plan says. */
  drain(lane: string, outcome: Outcome): LanePlan {
    const plan = planLane(this, this.lane(lane));
    if (plan.type !== 'run') return plan;
    const attempt = this.get(plan.id).attempts + 1;
    this.#must(plan.id, { kind: 'intent-recorded', intent: { ...INTENT, attempt } });
    if (outcome === 'applied') this.#applied(plan.id, attempt, 'surface');
    else this.#must(plan.id, { kind: outcome, why: 'It did.' });
    this.#fallLate(plan.id);
    return plan;
  }

  /** A person settles what is in doubt. */
  settle(id: ActionId, happened: boolean): void {
    const action = this.get(id);
    if (action.state !== 'in-doubt') return;
    if (happened) this.#applied(id, action.attempts, 'settled');
    else this.#must(id, { kind: 'not-applied', known: 'settled', mayHappenTwice: false });
    this.#fallLate(id);
  }

  /** Late evidence against a settle, either way. */
  contradict(id: ActionId): void {
    const { state, attempts: attempt } = this.get(id);
    const applied = state === 'applied' ? null : { ...APPLIED, attempt };
    this.take(id, { kind: 'contradicted', evidence: applied === null ? 'not-applied' : 'applied', applied });
    this.#fallLate(id);
  }

  /** What was past its commit point when a need ended, and turns out not to have happened, falls then (CA-1). */
  #fallLate(id: ActionId): void {
    const action = this.get(id);
    if (action.needs.some((need) => this.get(need).state === 'rejected')) this.reject(id);
  }

  #applied(id: ActionId, attempt: number, known: 'surface' | 'settled'): void {
    this.#must(id, { kind: 'applied', applied: { ...APPLIED, attempt, known }, result: null });
    this.appliedOrder.push(id);
  }

  #must(id: ActionId, transition: Transition): void {
    if (this.take(id, transition)) return;
    throw new Error(`a plan asked for ${transition.kind} on #${this.get(id).seq}, which is ${this.get(id).state}`);
  }
}
