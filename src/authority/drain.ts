import { assert } from '../base/assert.ts';
import { CountersignError } from '../base/errors.ts';
import { planLane } from '../model/drain-plan.ts';
import type { ActionId } from '../model/ids.ts';
import { begin, type Applying } from './begin.ts';
import { beginTogether, begunWith, groupFrom, outcomeOf } from './coalesce.ts';
import type { Core } from './core.ts';
import { followRoster } from './follow-roster.ts';
import { Gatekeeper } from './gates.ts';
import { untilItAnswers } from './hanging.ts';
import type { Evidence } from './heard.ts';
import type { ResourceLocks } from './locks.ts';
import { lookOver } from './look-over.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { contextOf, record } from './outcome.ts';
import { perform, type Earlier } from './perform.ts';
import type { Outcome } from './ports.ts';
import { resolve, writesOf } from './resolve.ts';
import { dropApproval } from './rules.ts';
import { approvalHolds } from './stance.ts';
import { transact } from './transaction.ts';
import { weigh } from './weigh.ts';

/**
 * Applies approved actions, each lane in its order, and is the only place where effects begin. A lane runs until
 * something in it waits; whatever could let it go on (a ruling, an outcome, a restart) wakes it again.
 */
export class Drain {
  readonly #core: Core;
  readonly #locks: ResourceLocks;
  readonly #running = new Map<string, Promise<void>>();
  readonly #again = new Set<string>();
  /** Outcomes a full disk refused although the reserve was used: written as soon as something can be stored again. */
  readonly #unrecorded = new Map<ActionId, Outcome>();
  /** What came to light and a full disk refused: nobody says it again. */
  #unheard: { readonly id: ActionId; readonly evidence: Evidence }[] = [];
  readonly #gates: Gatekeeper;
  #state: 'waiting' | 'running' | 'stopped' = 'waiting';

  constructor(core: Core, locks: ResourceLocks) {
    this.#core = core;
    this.#locks = locks;
    this.#gates = new Gatekeeper(core, () => this.wake());
  }

  /** Begins: until then every wake is for nothing. */
  start(): void {
    this.#state = 'running';
    this.wake();
  }

  /** Something can be stored again after a full disk: first what has happened, then what is to happen. */
  goOn(): void {
    const unrecorded = new Map(this.#unrecorded);
    this.#unrecorded.clear();
    if (unrecorded.size > 0) this.#record(unrecorded).catch(() => undefined); // `commit` has reported it, and a full disk keeps it here.
    const unheard = this.#unheard;
    this.#unheard = [];
    for (const { evidence, id } of unheard) this.evidence(id, evidence).catch(() => undefined); // As above.
    this.weighHeard(this.#core.heard.ids()).catch(() => undefined); // Reported as well, and stored.
    this.wake();
  }

  /** Looks at every lane again (DR-3). */
  wake(): void {
    for (const lane of this.#core.state.lanes()) this.#wakeLane(lane);
  }

  /** Nothing new begins; resolves when what is in flight has ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    this.#gates.stop();
    await Promise.all(this.#running.values());
  }

  /** An effect whose intent was durable when the process ended and that cannot happen twice by being done again. */
  redo(action: Applying, earlier: Earlier): Promise<void> {
    return this.#locks.run(writesOf(this.#core, action), () => this.#perform(begunWith(this.#core, action), earlier));
  }

  #wakeLane(lane: string): void {
    if (this.#state !== 'running') return;
    if (this.#running.has(lane)) {
      this.#again.add(lane);
      return;
    }
    const run = this.#runLane(lane).catch((error: unknown) => {
      // A full disk leaves the lane as it was; it goes on when something wakes it. All else is a bug.
      if (!CountersignError.is(error) || error.code !== 'full') this.#core.options.onFatal(error);
    });
    this.#running.set(
      lane,
      run.finally(() => this.#ended(lane)),
    );
  }

  #ended(lane: string): void {
    this.#running.delete(lane);
    if (this.#again.delete(lane)) this.#wakeLane(lane);
  }

  async #runLane(lane: string): Promise<void> {
    while (this.#state === 'running') {
      const id = this.#nextOf(lane);
      const action = id === undefined ? undefined : this.#core.state.open(id);
      if (id === undefined || action === undefined) return;
      // Locked from the look on: what another lane is doing to the same things is part of what is looked at.
      await this.#locks.run(writesOf(this.#core, action), () => this.#runOne(lane, id));
      // What waited in another lane for this one can go on now.
      this.wake();
    }
  }

  async #runOne(lane: string, id: ActionId): Promise<void> {
    const core = this.#core;
    const ready = await lookOver(core, id);
    // Waiting and looking took time: the world, what stood before it, or what it needs, may not be what it was.
    core.ground.look();
    if (ready === undefined || core.state.open(id) !== ready || this.#nextOf(lane) !== id) return;
    // What it names may have been taken back while it was looked at: it is looked at again.
    if (!resolve(core, ready).ok) return;
    if (followRoster(core)) return core.commit();
    if (!approvalHolds(core, ready)) {
      dropApproval(core, ready);
      return core.commit();
    }
    const group = groupFrom(core, ready);
    const begun = group === undefined ? [begin(core, ready)] : beginTogether(core, group);
    const [applying] = begun;
    const inside = applying?.content.effectClass === 'E0';
    if (applying !== undefined && inside) record(core, id, transact(core, applying));
    await core.commit();
    if (!inside) await this.#perform(begun);
  }

  #nextOf(lane: string): ActionId | undefined {
    const plan = planLane(this.#core.state, this.#core.state.lane(lane));
    return plan.type === 'run' && this.#gates.isOpen(plan.id) ? plan.id : undefined;
  }

  /** One effect, of one action or of several that happen together. */
  async #perform(members: readonly Applying[], earlier: Earlier = 'over'): Promise<void> {
    const core = this.#core;
    const [first] = members;
    const surface = first && core.surfaceOf(first);
    assert(first !== undefined && surface !== undefined, 'an action that begins has its surface');
    const context = contextOf(core, first);
    const { outcome, late } = await perform<Outcome>({
      run: (signal) => surface.apply(context, signal),
      nothingHappened: (why) => ({ type: 'failed', why }),
      earlier,
      clock: core.options.clock,
      nowMs: core.nowMs(),
      // Counted from now: what a crash interrupted begins anew with its whole time.
      deadlineMs: core.nowMs() + AUTHORITY_LIMITS.effectMsMax,
    });
    const outcomes = new Map(members.map(({ id }) => [id, outcomeOf(outcome, id, members)]));
    const durable = this.#record(outcomes);
    // Not awaited when all is well: the next intent of the lane shares this commit (semantics §5).
    durable.catch(() => undefined); // `commit` has reported it; the lane stops at its own next commit.
    if (late !== undefined) for (const member of members) this.#awaitLate(member, members, late);
    if (outcome.type !== 'applied') await durable;
  }

  #awaitLate({ id, intent }: Applying, members: readonly Applying[], late: Promise<Outcome>): void {
    const answered = (answer: Outcome): Promise<void> =>
      this.evidence(id, { attempt: intent.attempt, outcome: outcomeOf(answer, id, members), known: 'surface' });
    void untilItAnswers(this.#core, id, { of: 'effect', intent }, late, answered);
  }

  /** Something came to light about an attempt that was in doubt: a late answer (EF-4), or what a probe says now (EF-2). */
  async evidence(id: ActionId, evidence: Evidence): Promise<void> {
    try {
      await this.#weigh(id, evidence);
    } catch (error) {
      if (CountersignError.is(error) && error.code === 'full') this.#unheard.push({ id, evidence });
      throw error;
    }
  }

  async #weigh(id: ActionId, evidence: Evidence): Promise<void> {
    if (this.#state === 'stopped') return;
    const weighed = weigh(this.#core, id, evidence);
    if (weighed.type === 'no-news') return;
    if (weighed.type === 'later') this.#core.heard.keep(id, evidence);
    await this.#core.commit({ urgent: true });
    if (weighed.type === 'later') return;
    if (weighed.alarm !== null) this.#core.options.onAlarm(weighed.alarm);
    this.wake();
  }

  /**
   * What was heard while these had no outcome. It is stored until it is weighed: what is not before the end, or because
   * the disk is full, is weighed at the next start, or when there is space.
   */
  async weighHeard(ids: Iterable<ActionId>): Promise<void> {
    for (const id of ids) {
      for (const evidence of this.#core.heard.of(id)) {
        if (this.#state === 'stopped') return;
        // Said twice it would be two alarms: another look at the same may have come first.
        if (!this.#core.heard.of(id).includes(evidence)) continue;
        this.#core.heard.drop(id, evidence);
        await this.#weigh(id, evidence);
      }
    }
  }

  async #record(outcomes: ReadonlyMap<ActionId, Outcome>): Promise<void> {
    for (const [id, outcome] of outcomes) record(this.#core, id, outcome);
    try {
      await this.#core.commit({ urgent: true });
    } catch (error) {
      if (CountersignError.is(error) && error.code === 'full') this.#keepUnrecorded(outcomes);
      else if (!CountersignError.is(error)) this.#core.options.onFatal(error);
      throw error;
    }
    await this.weighHeard(outcomes.keys());
  }

  #keepUnrecorded(outcomes: ReadonlyMap<ActionId, Outcome>): void {
    for (const [id, outcome] of outcomes) this.#unrecorded.set(id, outcome);
  }
}
