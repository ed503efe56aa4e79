import { assert, InvariantError, unreachable } from '../base/assert.ts';
import { canonicalBytes } from '../base/canonical-json.ts';
import { CountersignError, messageOf } from '../base/errors.ts';
import type { Action, Intent } from '../model/action.ts';
import { planLane } from '../model/drain-plan.ts';
import type { ActionId } from '../model/ids.ts';
import { toolDigest } from './content.ts';
import type { Core } from './core.ts';
import type { ResourceLocks } from './locks.ts';
import { AUTHORITY_LIMITS } from './options.ts';
import { perform } from './perform.ts';
import { storedResult } from './results.ts';
import type { ApplyContext, Look, Outcome, Surface } from './ports.ts';
import { raiseAttention, refresh } from './refresh.ts';
import { approvalHolds } from './stance.ts';
import { fallIfGroundless } from './groundless.ts';
import { followRoster } from './follow-roster.ts';

type Applying = Extract<Action, { state: 'applying' }>;

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
  #state: 'waiting' | 'running' | 'stopped' = 'waiting';

  constructor(core: Core, locks: ResourceLocks) {
    this.#core = core;
    this.#locks = locks;
  }

  /** Begins: until then every wake is for nothing. */
  start(): void {
    this.#state = 'running';
    this.wake();
  }

  /** Something can be stored again after a full disk: first what has happened, then what is to happen. */
  goOn(): void {
    for (const [id, outcome] of this.#unrecorded) {
      this.#unrecorded.delete(id);
      this.#record(id, outcome).catch(() => undefined); // `commit` has reported it, and a full disk keeps it here.
    }
    this.wake();
  }

  /** Looks at every lane again (DR-3). */
  wake(): void {
    for (const lane of this.#core.state.lanes()) this.#wakeLane(lane);
  }

  /** Nothing new begins; resolves when what is in flight has ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    await Promise.all(this.#running.values());
  }

  /** An effect whose intent was durable when the process ended and that a probe found not to have happened (E1). */
  redo(action: Applying): Promise<void> {
    return this.#locks.run(action.content.writes, () => this.#perform(action));
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
      await this.#locks.run(action.content.writes, () => this.#runOne(lane, id));
      // What waited in another lane for this one can go on now.
      this.wake();
    }
  }

  async #runOne(lane: string, id: ActionId): Promise<void> {
    const core = this.#core;
    const ready = await this.#lookOver(id);
    // Waiting and looking took time: what stood before it, or what it needs, may not be what it was.
    if (ready === undefined || this.#nextOf(lane) !== id) return;
    if (followRoster(core)) return core.commit();
    if (!approvalHolds(core, ready)) {
      core.transit(ready, { kind: 'approval-withdrawn', why: 'revoked' });
      return core.commit();
    }
    const applying = this.#begin(ready);
    await core.commit();
    await this.#perform(applying);
  }

  #nextOf(lane: string): ActionId | undefined {
    const plan = planLane(this.#core.state, this.#core.state.lane(lane));
    return plan.type === 'run' ? plan.id : undefined;
  }

  /** DR-6: tool and preconditions once more. `undefined` when the world or the ruling has moved meanwhile. */
  async #lookOver(id: ActionId): Promise<Extract<Action, { state: 'approved' }> | undefined> {
    const core = this.#core;
    const action = core.state.open(id);
    if (action?.state !== 'approved') return undefined;
    const surface = core.surfaceOf(action);
    if (surface === undefined || toolDigest(surface, (bytes) => core.store.hash(bytes)) !== action.content.toolDigest) {
      raiseAttention(core, action, 'tool-changed', 'The tool is not the one this was proposed with.');
      await core.commit();
      return undefined;
    }
    const look = await this.#look(surface, action);
    const now = core.state.open(id);
    if (now?.state !== 'approved' || now.digest !== action.digest) return undefined;
    if (look === undefined || look.type === 'ready') return now;
    await refresh(core, now, 'merge', look.why);
    const anew = core.state.open(id);
    if (anew?.state === 'approved' && anew.digest === now.digest) {
      // Moved, and yet the same again: nothing is gained by looking for ever, so a person looks.
      raiseAttention(core, anew, 'conflict', look.why);
      await core.commit();
    }
    return undefined;
  }

  /** A look that fails says nothing good of the world: it counts as moved, and a person sees why. */
  async #look(surface: Surface, action: Action): Promise<Look | undefined> {
    try {
      return await surface.look?.({ content: action.content, blob: (hash) => this.#core.store.blob(hash) });
    } catch (error) {
      if (error instanceof InvariantError) throw error;
      return { type: 'moved', why: messageOf(error) };
    }
  }

  /** Synchronous up to the commit: no wish for safety can slip between the look and the intent. */
  #begin(action: Extract<Action, { state: 'approved' }>): Applying {
    const atMs = this.#core.nowMs();
    const intent: Intent = {
      attempt: action.attempts + 1,
      idempotencyKey: idempotencyKey(this.#core, action),
      atMs,
      deadlineMs: atMs + AUTHORITY_LIMITS.effectMsMax,
    };
    const { action: applying } = this.#core.transit(action, { kind: 'intent-recorded', intent });
    assert(applying.state === 'applying', 'an intent makes an action applying');
    return applying;
  }

  async #perform(action: Applying): Promise<void> {
    const core = this.#core;
    const surface = core.surfaceOf(action);
    assert(surface !== undefined, 'an action that begins has its surface');
    const context = contextOf(core, action);
    const { outcome, late } = await perform<Outcome>({
      run: (signal) => surface.apply(context, signal),
      nothingHappened: (why) => ({ type: 'failed', why }),
      clock: core.options.clock,
      nowMs: core.nowMs(),
      // Counted from now: what a crash interrupted begins anew with its whole time.
      deadlineMs: core.nowMs() + AUTHORITY_LIMITS.effectMsMax,
    });
    const durable = this.#record(action.id, outcome);
    // Not awaited when all is well: the next intent of the lane shares this commit (semantics §5).
    durable.catch(() => undefined); // `commit` has reported it; the lane stops at its own next commit.
    if (late !== undefined) void late.then((answer) => this.#answeredLate(action, answer)).catch(() => undefined); // As above.
    if (outcome.type !== 'applied') await durable;
  }

  async #answeredLate(asked: Applying, outcome: Outcome): Promise<void> {
    const action = this.#core.state.open(asked.id);
    if (this.#state === 'stopped' || action?.state !== 'in-doubt' || action.intent.attempt !== asked.intent.attempt)
      return;
    if (outcome.type === 'in-doubt') return;
    await this.#record(asked.id, outcome);
    this.wake();
  }

  async #record(id: ActionId, outcome: Outcome): Promise<void> {
    record(this.#core, id, outcome);
    try {
      await this.#core.commit({ urgent: true });
    } catch (error) {
      if (CountersignError.is(error) && error.code === 'full') this.#unrecorded.set(id, outcome);
      else if (!CountersignError.is(error)) this.#core.options.onFatal(error);
      throw error;
    }
  }
}

export function contextOf(
  core: Core,
  action: Applying | Extract<Action, { state: 'in-doubt' | 'reverting' | 'revert-in-doubt' }>,
): ApplyContext {
  return { content: action.content, intent: action.intent, blob: (hash) => core.store.blob(hash) };
}

/** Writes down what became of an attempt, and tells the agent what it has to know. */
export function record(core: Core, id: ActionId, outcome: Outcome): void {
  const action = core.state.open(id);
  assert(action?.state === 'applying' || action?.state === 'in-doubt', 'an outcome belongs to an attempt');
  const known = action.state === 'applying' ? 'surface' : 'probe';
  switch (outcome.type) {
    case 'applied': {
      const result =
        outcome.result === undefined ? null : storedResult(outcome.result, (bytes) => core.store.keepBlob(bytes));
      const applied = {
        attempt: action.intent.attempt,
        atMs: core.nowMs(),
        evidence: outcome.evidence,
        drift: outcome.drift,
        known,
      } as const;
      core.transit(action, { kind: 'applied', applied, result });
      return;
    }
    case 'failed':
      recordFailure(core, action, outcome.why);
      return;
    case 'in-doubt':
      if (action.state === 'applying') core.transit(action, { kind: 'doubted', why: outcome.why });
      return;
    default:
      unreachable(outcome);
  }
}

function recordFailure(core: Core, action: Action, why: string): void {
  const failed =
    action.state === 'in-doubt'
      ? core.transit(action, { kind: 'not-applied', known: 'probe', mayHappenTwice: false })
      : core.transit(action, { kind: 'failed', why });
  const { id, seq, content } = action;
  core.notify(core.sessionOf(action), { type: 'failed', seq, id, tool: content.tool, why });
  fallIfGroundless(core, failed.action);
}

/** A function of workspace, action and attempt group, so that a retry after a definite failure keeps it (EF-3). */
function idempotencyKey(core: Core, action: Action): string {
  return core.store.hash(canonicalBytes(['countersign key|1', core.options.workspace, action.id])).slice(0, 32);
}
