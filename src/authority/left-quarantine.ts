import type { Action, ApprovalSource, Intent } from '../model/action.ts';
import { blocksApproval, mayHappenTwice } from '../model/lifecycle.ts';
import { idempotencyKey } from './begin.ts';
import type { Core } from './core.ts';

/** What a journal that left quarantine has lost, and its head log has not. */
export interface LeftQuarantine {
  readonly why: string;
  readonly doubtful: readonly Lost[];
  /** The journal holds all of it now. */
  onMarked(): void;
}

interface Lost {
  readonly actionSeq: number;
  readonly attempt: number;
  readonly revert?: true;
}

const WHY = 'The journal lost what became of it. Look whether it happened, and settle it.';

/**
 * Stages, with the audit entry of it, that the workspace left quarantine, and puts in doubt what had begun and nobody
 * knows the end of: no restart and no new fence may ever begin it again (EF-7).
 */
export function markLeft(core: Core): void {
  const { left } = core.options;
  if (left === undefined) return;
  core.store.stage({ kind: 'quarantined', why: `Left by a person. ${left.why}` });
  const unknown: number[] = [];
  for (const lost of left.doubtful) {
    const action = core.actionNumbered(lost.actionSeq);
    if (action === undefined) unknown.push(lost.actionSeq);
    else if (lost.revert === true) doubtRevert(core, action, lost.attempt);
    else doubt(core, action, lost.attempt);
  }
  if (unknown.length > 0)
    core.options.onAlarm(
      `Of ${unknown.map((seq) => `#${seq}`).join(', ')} the journal has lost everything but that it had begun. Look whether it happened.`,
    );
}

/** The log has lost who approved it; that it was approved is what its intent says. */
const BY: ApprovalSource = { type: 'rule', rule: 'lost with the journal' };

function doubt(core: Core, action: Action, attempt: number): void {
  if (action.state === 'applying') core.transit(action, { kind: 'doubted', why: WHY });
  else if (attempt > action.attempts) begunAgain(core, action);
}

function doubtRevert(core: Core, action: Action, attempt: number): void {
  if (action.state === 'reverting') core.transit(action, { kind: 'revert-doubted', why: WHY });
  else if (action.state === 'applied' && attempt === action.revertAttempts + 1) {
    const begun = { kind: 'revert-begun', intent: intentOf(core, action, attempt), by: { type: 'authority' } } as const;
    core.transit(core.transit(action, begun).action, { kind: 'revert-doubted', why: WHY });
  }
}

/** Through the states it had gone through when the journal still knew them. */
function begunAgain(core: Core, action: Action): void {
  const approved = approvedAgain(core, action);
  if (approved?.state !== 'approved') return;
  const intent = intentOf(core, approved, approved.attempts + 1);
  core.transit(core.transit(approved, { kind: 'intent-recorded', intent }).action, { kind: 'doubted', why: WHY });
}

function approvedAgain(core: Core, action: Action): Action | undefined {
  switch (action.state) {
    case 'approved':
      return action;
    case 'pending':
      if (mayHappenTwice(action) && !blocksApproval(action.attention))
        return core.transit(action, { kind: 'retried', by: BY }).action;
      // What is in conflict begins by nothing, lost or not.
      return blocksApproval(action.attention) ? undefined : core.transit(action, { kind: 'approved', by: BY }).action;
    case 'held': {
      const by = { type: 'authority' } as const;
      return approvedAgain(core, core.transit(action, { kind: 'released', place: core.state.nextPlace, by }).action);
    }
    case 'failed':
    case 'not-applied':
      return core.transit(action, { kind: 'retried', by: BY }).action;
    case 'applying':
    case 'applied':
    case 'in-doubt':
    case 'reverting':
    case 'revert-in-doubt':
    case 'reverted':
    case 'rejected':
      return undefined;
  }
}

function intentOf(core: Core, action: Action, attempt: number): Intent {
  const atMs = core.nowMs();
  return { attempt, idempotencyKey: idempotencyKey(core, action), atMs, deadlineMs: atMs };
}
