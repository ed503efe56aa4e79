import { parseCanonical } from '../base/canonical-json.ts';
import { CountersignError } from '../base/errors.ts';
import { askProbe } from './ask-probe.ts';
import type { Core } from './core.ts';
import { untilItAnswers } from './hanging.ts';
import type { ResourceLocks } from './locks.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { contextOf } from './outcome.ts';
import { perform, type Earlier } from './perform.ts';
import type { RevertOutcome } from './ports.ts';
import { writesOf } from './resolve.ts';
import {
  advance,
  endStep,
  keepPlan,
  openPlan,
  PLAN_PREFIX,
  recordRevert,
  stepUnderWay,
  type OpenPlan,
  type Reverting,
} from './revert-steps.ts';
import type { ActionId } from '../model/ids.ts';

/**
 * Takes applied actions back (CA-3): outside lanes, under a lock on what each wrote, one step of a plan after the other,
 * each with an outcome like any effect. A revert touches only what the action wrote, only if that is still as the action
 * left it.
 */
export class Reverts {
  readonly #core: Core;
  readonly #locks: ResourceLocks;
  readonly #running = new Map<string, Promise<void>>();
  /** What came to light and a full disk refused: nobody says it again. */
  readonly #unheard: { readonly id: ActionId; readonly attempt: number; readonly outcome: RevertOutcome }[] = [];

  readonly #settled: () => void;

  /** `settled`: a doubt is over, and what waits can go on. */
  constructor(core: Core, locks: ResourceLocks, settled: () => void) {
    this.#core = core;
    this.#locks = locks;
    this.#settled = settled;
  }

  /** Performs a plan whose first intent is durable. */
  run(key: string): Promise<void> {
    return this.#start(key, (step) => this.#perform(step, 'over'));
  }

  /** Goes on with what a crash or a full disk interrupted: of the step under way the world says whether it happened. */
  async resume(): Promise<void> {
    const core = this.#core;
    for (let said = this.#unheard.shift(); said !== undefined; said = this.#unheard.shift())
      await this.evidence(said.id, said.attempt, said.outcome);
    // What was asked for since memory was read is performed by who asked, once its intent is durable.
    const asked = new Set(core.revertPlans.keys());
    const covered = new Set<ActionId>(asked);
    const keys: string[] = [];
    for (const { key, value } of core.options.journal.liveRecords('meta')) {
      if (!key.startsWith(PLAN_PREFIX)) continue;
      // reason: written by `keepPlan` only
      const { steps } = parseCanonical(value) as unknown as OpenPlan;
      if (steps.some((id) => asked.has(id))) continue;
      for (const id of steps) {
        covered.add(id);
        core.revertPlans.set(id, key);
      }
      keys.push(key);
    }
    for (const { id, state } of core.state.openActions()) {
      if (state !== 'reverting' || covered.has(id)) continue;
      const key = PLAN_PREFIX + id;
      keepPlan(core, key, { steps: [id], by: { type: 'authority' } });
      keys.push(key);
    }
    await Promise.all(keys.map((key) => this.#start(key, (step) => this.#interrupted(step))));
  }

  /** What a probe, or an answer that comes late, says of a revert in doubt (EF-2, EF-4). */
  async evidence(id: ActionId, attempt: number, outcome: RevertOutcome): Promise<void> {
    const action = this.#core.state.open(id);
    if (action?.state !== 'revert-in-doubt' || action.intent.attempt !== attempt || outcome.type === 'in-doubt') return;
    recordRevert(this.#core, id, outcome, { type: 'authority' });
    try {
      await this.#core.commit({ urgent: true });
    } catch (error) {
      if (CountersignError.is(error) && error.code === 'full') this.#unheard.push({ id, attempt, outcome });
      throw error;
    }
    this.#settled();
  }

  #start(key: string, first: (step: Reverting) => Promise<RevertOutcome>): Promise<void> {
    const running = this.#running.get(key);
    // A plan that begins with the same action: what is under way ends first.
    if (running !== undefined) return running.then(() => this.#start(key, first));
    const run = this.#go(key, first).finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }

  async #go(key: string, first: (step: Reverting) => Promise<RevertOutcome>): Promise<void> {
    const core = this.#core;
    let next = first;
    // A full disk can have lost the intent of the next step, and not the outcome of the one before.
    if (openPlan(core, key) !== undefined && stepUnderWay(core, key) === undefined) {
      advance(core, key);
      await core.commit({ urgent: true });
      next = (step) => this.#perform(step, 'over');
    }
    let step = stepUnderWay(core, key);
    while (step !== undefined) {
      const at = step;
      const outcome = await this.#locks.run(writesOf(core, at), () => next(at));
      endStep(core, key, at, outcome);
      // Only what this commit makes durable: another plan can begin with the same action while it is written.
      step = stepUnderWay(core, key);
      await core.commit({ urgent: true });
      next = (following) => this.#perform(following, 'over');
    }
  }

  async #perform(action: Reverting, earlier: Earlier): Promise<RevertOutcome> {
    const core = this.#core;
    const { id, intent } = action;
    const surface = core.surfaceOf(action);
    if (surface?.revert === undefined)
      return { type: 'refused', why: 'Its tool is gone or cannot revert.', canRetry: false };
    const run = surface.revert.bind(surface);
    const { outcome, late } = await perform<RevertOutcome>({
      run: (signal) => run({ ...contextOf(core, action), applied: action.applied }, signal),
      nothingHappened: (why) => ({ type: 'refused', why, canRetry: true }),
      earlier,
      clock: core.options.clock,
      nowMs: core.nowMs(),
      // Counted from now: what a crash interrupted begins anew with its whole time.
      deadlineMs: core.nowMs() + AUTHORITY_LIMITS.effectMsMax,
    });
    const settle = (answer: RevertOutcome): Promise<void> => this.evidence(id, intent.attempt, answer);
    if (late !== undefined) void untilItAnswers(core, id, { of: 'revert', intent }, late, settle);
    return outcome;
  }

  /** Still as the action left it: the revert has not happened. As it was before the action: it has. */
  async #interrupted(action: Reverting): Promise<RevertOutcome> {
    const core = this.#core;
    const probed = await askProbe(core, action, action.intent);
    if (probed.answer === 'not-applied') return { type: 'reverted' };
    if (probed.answer === 'unknown') return { type: 'in-doubt', why: probed.why };
    const { effectClass, keyWindowMs } = action.content;
    if (effectClass === 'E1') return this.#perform(action, 'over');
    const remembered = effectClass === 'E2' && core.nowMs() - action.intent.atMs < (keyWindowMs ?? 0);
    if (remembered && core.surfaceOf(action)?.revert !== undefined) return this.#perform(action, 'may-arrive');
    return { type: 'in-doubt', why: 'The process ended while it was being reverted, and it may still happen.' };
  }
}
