import { unreachable } from '../base/assert.ts';
import type { EpochMs } from '../base/clock.ts';
import type { Action, ActionState, Applied, Attention, AttentionKind, Common } from './action.ts';
import type { Transition, TransitionKind } from './event.ts';
import type { ActionId } from './ids.ts';
import { become, common, unresolved } from './next-form.ts';

/** What the transition asks for outside the model. The authority performs it once the event is durable. */
export type Command =
  | { readonly type: 'perform'; readonly id: ActionId; readonly attempt: number }
  | { readonly type: 'perform-revert'; readonly id: ActionId; readonly attempt: number }
  /** The overlay shows this action's writes from now on, in place of what it showed of it before. */
  | { readonly type: 'enter-overlay'; readonly id: ActionId }
  /** The ground has the effect, or nobody has it any more. */
  | { readonly type: 'leave-overlay'; readonly id: ActionId };

export type StepResult =
  | { readonly ok: true; readonly action: Action; readonly commands: readonly Command[] }
  | { readonly ok: false; readonly why: string };

/** Semantics §2 as data: what may happen in each state. `step` says what comes of it, and when it still may not. */
export const TRANSITION_TABLE = {
  pending: ['approved', 'retried', 'attention-raised', 'reissued', 'held', 'rejected', 'contradicted'],
  approved: [
    'approval-withdrawn',
    'attention-raised',
    'reissued',
    'held',
    'rejected',
    'intent-recorded',
    'contradicted',
  ],
  held: ['held', 'released', 'attention-raised', 'reissued', 'rejected', 'contradicted'],
  applying: ['applied', 'failed', 'doubted', 'attempt-voided'],
  failed: ['attention-raised', 'retried', 'rejected', 'contradicted'],
  'not-applied': ['attention-raised', 'retried', 'rejected', 'contradicted'],
  'in-doubt': ['applied', 'not-applied', 'contradicted'],
  applied: ['applied', 'revert-begun', 'revert-refused', 'contradicted'],
  reverting: ['reverted', 'revert-refused', 'revert-doubted'],
  'revert-in-doubt': ['reverted', 'revert-refused'],
  reverted: [],
  rejected: ['contradicted'],
} as const satisfies Record<ActionState, readonly TransitionKind[]>;

/** Attention that no approval answers: only a reject, the agent's withdraw or a reissue leaves it (LC-5). */
const BLOCKING: ReadonlySet<AttentionKind> = new Set<AttentionKind>(['conflict', 'tool-changed']);

export function blocksApproval(attention: Attention | null | undefined): boolean {
  return attention !== null && attention !== undefined && BLOCKING.has(attention.kind);
}

/** Would another attempt make it happen twice, if whoever gave an earlier one up for lost was wrong (EF-6)? */
export function mayHappenTwice(action: Action): boolean {
  return action.givenUp === true || (action.state === 'not-applied' && action.mayHappenTwice);
}

type In<S extends ActionState> = Extract<Action, { readonly state: S }>;
type On<K extends TransitionKind> = Extract<Transition, { readonly kind: K }>;

/**
 * The life of an action (LC-1): pure and total. `atMs` is the time of the journal event, so that a replay of the
 * journal gives the same actions. A pair outside the table is a value; past the edge the caller asserts.
 */
export function step(action: Action, transition: Transition, atMs: EpochMs): StepResult {
  switch (action.state) {
    case 'pending':
      return fromPending(action, transition, atMs);
    case 'approved':
      return fromApproved(action, transition);
    case 'held':
      return fromHeld(action, transition);
    case 'applying':
      return fromApplying(action, transition);
    case 'failed':
    case 'not-applied':
      return fromUnapplied(action, transition, atMs);
    case 'in-doubt':
      return fromDoubt(action, transition);
    case 'applied':
      return fromApplied(action, transition);
    case 'reverting':
    case 'revert-in-doubt':
      return fromRevert(action, transition);
    case 'rejected':
      return fromRejected(action, transition);
    case 'reverted':
      return outside(action, transition);
    default:
      return unreachable(action);
  }
}

function fromPending(action: In<'pending'>, transition: Transition, atMs: EpochMs): StepResult {
  if (transition.kind === 'approved' || transition.kind === 'retried') {
    if (blocksApproval(action.attention))
      return refused(`#${action.seq} is a ${action.attention?.kind}: reissue or reject it, no approval answers that.`);
    // Whether a plain approval does is for whoever takes it: rows of version 1 hold some of what may happen twice.
    if (transition.kind === 'retried' && action.givenUp !== true)
      return refused(`#${action.seq} is pending; ${transition.kind} is not what lets it begin.`);
    const ruled = transition.by.type === 'rule' ? { ruled: transition.by.rule } : {};
    // A remark on it says why an earlier approval did not count.
    return moved(become(common(action), { ...ruled, remark: null, state: 'approved', by: transition.by, atMs }));
  }
  if (transition.kind === 'attention-raised')
    return moved({ ...raised(action, transition.attention), state: 'pending' });
  return fromUndecided(action, transition);
}

function fromApproved(action: In<'approved'>, transition: Transition): StepResult {
  if (transition.kind === 'approval-withdrawn') {
    const remark = transition.remark ?? action.remark;
    return moved({ ...common(action), remark, state: 'pending', attention: action.newestAttention ?? null });
  }
  if (transition.kind === 'attention-raised')
    return moved({ ...raised(action, transition.attention), state: 'pending' });
  if (transition.kind === 'intent-recorded') {
    const { intent } = transition;
    if (intent.attempt !== action.attempts + 1)
      return refused(
        `#${action.seq} was tried ${action.attempts} times, so attempt ${intent.attempt} is not its next.`,
      );
    const { by } = action;
    const resolved = intent.resolved === undefined ? {} : { resolved: intent.resolved };
    const applying = become(unresolved(action), {
      state: 'applying',
      by,
      intent,
      attempts: intent.attempt,
      ...resolved,
    });
    return moved(applying, { type: 'perform', id: action.id, attempt: intent.attempt });
  }
  return fromUndecided(action, transition);
}

/** What pending and approved share: neither has begun, a person can still hold, change or end both. */
function fromUndecided(action: In<'pending' | 'approved'>, transition: Transition): StepResult {
  if (transition.kind === 'reissued') return reissued(action, transition);
  if (transition.kind === 'rejected') return rejected(action, transition);
  if (transition.kind === 'contradicted') return happenedAfterAll(action, transition);
  if (transition.kind === 'held') {
    const attention = action.newestAttention ?? null;
    return moved({ ...placed(action, transition.place), state: 'held', parked: transition.parked, attention });
  }
  return outside(action, transition);
}

function fromHeld(action: In<'held'>, transition: Transition): StepResult {
  if (transition.kind === 'held')
    // Another hold joined or one of several ended: it stays parked for other reasons than before.
    return moved({ ...action, ...placed(action, transition.place), parked: transition.parked });
  if (transition.kind === 'released')
    return moved({ ...placed(action, transition.place), state: 'pending', attention: action.attention });
  if (transition.kind === 'attention-raised')
    return moved({ ...raised(action, transition.attention), state: 'held', parked: action.parked });
  if (transition.kind === 'reissued') return reissued(action, transition);
  if (transition.kind === 'rejected') return rejected(action, transition);
  if (transition.kind === 'contradicted') return happenedAfterAll(action, transition);
  return outside(action, transition);
}

function fromApplying(action: In<'applying'>, transition: Transition): StepResult {
  if (transition.kind === 'applied') return applied(action, transition);
  if (transition.kind === 'failed') return moved({ ...common(action), state: 'failed', why: transition.why });
  if (transition.kind === 'doubted')
    return moved({ ...common(action), state: 'in-doubt', intent: action.intent, why: transition.why });
  if (transition.kind === 'attempt-voided') {
    // The intent has no head record: the attempt never passed its commit point and does not count (LC-2).
    const attempts = action.intent.attempt - 1;
    return moved({ ...unresolved(action), state: 'approved', by: action.by, atMs: action.intent.atMs, attempts });
  }
  return outside(action, transition);
}

function fromUnapplied(action: In<'failed' | 'not-applied'>, transition: Transition, atMs: EpochMs): StepResult {
  if (transition.kind === 'retried') {
    const again = { ...common(action), ...(mayHappenTwice(action) ? { givenUp: true as const } : {}) };
    // What was raised while it could not be asked is asked now: a retry approves what a person knew of it.
    if (action.attention !== undefined) return moved({ ...again, state: 'pending', attention: action.attention });
    return moved({ ...again, state: 'approved', by: transition.by, atMs });
  }
  if (transition.kind === 'attention-raised') return moved({ ...action, ...raised(action, transition.attention) });
  if (transition.kind === 'rejected') return rejected(action, transition);
  if (transition.kind === 'contradicted') return happenedAfterAll(action, transition);
  return outside(action, transition);
}

function fromDoubt(action: In<'in-doubt'>, transition: Transition): StepResult {
  if (transition.kind === 'applied') return applied(action, transition);
  if (transition.kind === 'not-applied') {
    const { known, mayHappenTwice: twice } = transition;
    return moved({ ...common(action), state: 'not-applied', known, mayHappenTwice: twice, contradicted: false });
  }
  if (transition.kind === 'contradicted') return happenedAfterAll(action, transition);
  return outside(action, transition);
}

function fromApplied(action: In<'applied'>, transition: Transition): StepResult {
  if (transition.kind === 'revert-begun') {
    const { intent } = transition;
    if (intent.attempt !== action.revertAttempts + 1)
      return refused(`r${intent.attempt} is not the next revert of #${action.seq}, r${action.revertAttempts + 1} is.`);
    const reverting: Action = {
      ...common(action),
      state: 'reverting',
      applied: action.applied,
      intent,
      revertAttempts: intent.attempt,
    };
    return moved(reverting, { type: 'perform-revert', id: action.id, attempt: intent.attempt });
  }
  // A revert that was asked for and could not even begin.
  if (transition.kind === 'revert-refused') return moved({ ...action, remark: transition.why });
  if (transition.kind === 'applied') return acknowledged(action, transition);
  if (transition.kind === 'contradicted')
    return transition.evidence === 'applied' ? happenedTwice(action, transition) : didNotHappen(action);
  return outside(action, transition);
}

/** A person has seen the alarm and settles as the evidence says: the lane goes on (EF-6). */
function acknowledged(action: In<'applied'>, transition: On<'applied'>): StepResult {
  if (!action.contradicted) return refused(`#${action.seq} is applied already, and nothing denies it.`);
  return moved({ ...action, applied: transition.applied, contradicted: false });
}

/** Evidence against a person's *happened*. */
function didNotHappen(action: In<'applied'>): StepResult {
  if (action.applied.known !== 'settled')
    return refused(`#${action.seq} is known to be applied; only a person's word can be contradicted.`);
  const notApplied: Action = {
    ...common(action),
    remark: 'It did not happen, against what a person said of it.',
    state: 'not-applied',
    known: 'probe',
    mayHappenTwice: false,
    contradicted: true,
  };
  return moved(notApplied, { type: 'enter-overlay', id: action.id });
}

/** An attempt that a person gave up for lost happened beside the one that is applied. */
function happenedTwice(action: In<'applied'>, { applied: other }: On<'contradicted'>): StepResult {
  if (other === null || other.attempt === action.applied.attempt || other.attempt > action.attempts)
    return refused(`#${action.seq} is applied; only another attempt that happened too contradicts that.`);
  const remark = withDrift('It happened twice: an earlier attempt took effect, too.', other);
  return moved({ ...action, remark, contradicted: true });
}

function withDrift(remark: string, { drift }: Applied): string {
  return drift === null ? remark : `${remark} ${drift}`;
}

function fromRevert(action: In<'reverting' | 'revert-in-doubt'>, transition: Transition): StepResult {
  if (transition.kind === 'reverted') {
    return moved(
      { ...common(action), state: 'reverted', applied: action.applied },
      { type: 'leave-overlay', id: action.id },
    );
  }
  if (transition.kind === 'revert-refused') {
    // The person who began the revert has seen an alarm that stood on it, so it does not come back.
    const back = { ...common(action), remark: transition.why, applied: action.applied, contradicted: false };
    return moved({ ...back, state: 'applied' });
  }
  if (transition.kind === 'revert-doubted' && action.state === 'reverting') {
    const { applied: effect, intent } = action;
    return moved({ ...common(action), state: 'revert-in-doubt', applied: effect, intent, why: transition.why });
  }
  return outside(action, transition);
}

function fromRejected(action: In<'rejected'>, transition: Transition): StepResult {
  if (transition.kind !== 'contradicted') return outside(action, transition);
  return happenedAfterAll(action, transition);
}

function applied(action: In<'applying' | 'in-doubt'>, transition: On<'applied'>): StepResult {
  if (transition.applied.attempt !== action.intent.attempt)
    return refused(`Attempt ${transition.applied.attempt} of #${action.seq} is not the one that is open.`);
  const result = transition.result ?? action.result;
  return moved(become(common(action), { state: 'applied', applied: transition.applied, contradicted: false, result }), {
    type: 'leave-overlay',
    id: action.id,
  });
}

function reissued(action: In<'pending' | 'approved' | 'held'>, transition: On<'reissued'>): StepResult {
  if (transition.oldDigest !== action.digest)
    return refused(`#${action.seq} has changed since; the reissue was made of another version.`);
  const { content, digest, overlay, needs, verdict, reversibleWhy, attention } = transition;
  const anew = {
    ...unresolved(action),
    content,
    digest,
    overlay,
    needs,
    verdict,
    reversibleWhy,
    newestAttention: attention,
    attention,
  };
  const enter: Command = { type: 'enter-overlay', id: action.id };
  if (action.state === 'held') return moved({ ...anew, state: 'held', parked: action.parked }, enter);
  return moved({ ...anew, state: 'pending' }, enter);
}

function rejected(
  action: In<'pending' | 'approved' | 'held' | 'failed' | 'not-applied'>,
  transition: On<'rejected'>,
): StepResult {
  const { because, by, reason, felledBy } = transition;
  // Undecided again after a retry: its newest attempt was given up before that.
  const triedAgain = action.attempts > 0 && action.state !== 'failed' && action.state !== 'not-applied';
  const afterDidNot = triedAgain || (action.state === 'not-applied' && action.known === 'settled');
  return moved(
    { ...common(action), state: 'rejected', because, by, reason, felledBy, afterDidNot },
    { type: 'leave-overlay', id: action.id },
  );
}

/**
 * Late evidence that an attempt happened which a person gave up for lost: the state follows the evidence wherever the
 * action has got to since, and the alarm stands on the card (EF-6).
 */
function happenedAfterAll(
  action: Exclude<Action, { state: 'applied' | 'applying' | 'reverting' | 'revert-in-doubt' | 'reverted' }>,
  transition: On<'contradicted'>,
): StepResult {
  const happened = transition.evidence === 'applied' ? transition.applied : null;
  if (happened === null)
    return refused(`#${action.seq} is ${action.state}: only evidence that it happened contradicts that.`);
  if (happened.attempt > lastGivenUp(action))
    return refused(`#${action.seq} is ${action.state}: nobody gave attempt ${happened.attempt} of it up for lost.`);
  const remark = withDrift('It happened after all, against what a person said of it.', happened);
  const after: Action = { ...common(action), remark, state: 'applied', applied: happened, contradicted: true };
  // A rejected action has left the overlay already.
  return action.state === 'rejected' ? moved(after) : moved(after, { type: 'leave-overlay', id: action.id });
}

/** The newest attempt that somebody but the surface ended: of what failed and what is in doubt the one before. */
function lastGivenUp(action: Action): number {
  if (action.state === 'failed' || action.state === 'in-doubt') return action.attempts - 1;
  if (action.state === 'rejected' && !action.afterDidNot) return action.attempts - 1;
  return action.attempts;
}

/** A blocking attention stays until it is left as LC-5 says, whatever else is raised on top of it. */
function raised(action: Action, next: Attention): Common & { readonly attention: Attention } {
  const before = action.newestAttention;
  const attention = before !== undefined && blocksApproval(before) && !blocksApproval(next) ? before : next;
  return { ...common(action), newestAttention: attention, attention };
}

function placed(action: Action, place: number | undefined): Common {
  return { ...common(action), place: place ?? action.place };
}

function moved(action: Action, ...commands: readonly Command[]): StepResult {
  return { ok: true, action, commands };
}

function refused(why: string): StepResult {
  return { ok: false, why };
}

function outside(action: Action, transition: Transition): StepResult {
  const allowed = TRANSITION_TABLE[action.state].join(', ') || 'nothing';
  return refused(`#${action.seq} is ${action.state}; ${transition.kind} cannot happen to it, only ${allowed}.`);
}
