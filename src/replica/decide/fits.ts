import { unreachable } from '../../base/assert.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import { err, ok, type Result } from '../../base/result.ts';
import { mayDecide, type Right } from '../../access/rights.ts';
import { UNCOMMITTED_STATES, type ActionState } from '../../model/action.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { DeviceId } from '../../model/ids.ts';
import { blocksApproval } from '../../model/lifecycle.ts';
import type { LedgerAction } from '../../model/ledger.ts';
import { isDenied } from '../ledger/settled.ts';
import type { ActionView } from '../types.ts';

/** What the answer depends on besides the action. */
export interface Asking {
  readonly kind: ItemKind;
  readonly body: JsonObject;
  readonly device: DeviceId;
  readonly right: Right;
  /** Why decisions might not outlive this page; `null` where storage is durable. */
  readonly volatile: string | null;
  /** Why nothing of this log may be moved forward: it forked, or was rolled back. */
  readonly distrusted: string | null;
}

/** Kinds that only ever stop something: they are never withheld from a person who has the right. */
const STOPS: ReadonlySet<ItemKind> = new Set<ItemKind>(['reject', 'change', 'hold', 'retract']);

const UNDECIDED: ReadonlySet<ActionState> = new Set<ActionState>(['pending', 'approved', 'held']);

type Fits = Result<void>;
const FITS: Fits = ok(undefined);

/**
 * Would the runtime count this item, as far as this device can know? It says the same again, with more knowledge, when
 * the decision reaches it; what is said here saves a person a decision that changes nothing.
 */
export function fits(asking: Asking, view: ActionView): Fits {
  const { record } = view;
  const right = mayDecide(asking.right, asking.kind, { reversible: record.reversible });
  if (!right.ok) return right;
  if (asking.distrusted !== null && !STOPS.has(asking.kind)) return err(asking.distrusted);
  return fitsState(asking, view);
}

function fitsState(asking: Asking, view: ActionView): Fits {
  const { record } = view;
  switch (asking.kind) {
    case 'approve':
      return approvable(asking, view);
    case 'reject':
    case 'change':
      return rejectable(record);
    case 'hold':
      return isUndecided(record) ? FITS : outOf(record, 'only what has not begun can be held');
    case 'release':
      return releasable(record);
    case 'retract':
      return retractable(asking, view);
    case 'reissue':
      return isUndecided(record) ? FITS : outOf(record, 'only what has not begun can be made anew');
    case 'revert':
      return revertible(record);
    case 'retry':
      return retriable(asking, record);
    case 'settle':
      return isDoubtful(record) || isDenied(record) ? FITS : outOf(record, 'only what is in doubt can be settled');
    case 'reconsider':
      return record.state === 'rejected' ? FITS : outOf(record, 'only a rejected action can be asked for again');
    case 'edit':
      return isUndecided(record) ? FITS : outOf(record, 'only what has not begun can be edited');
    case 'anyway':
      return record.state === 'approved' ? FITS : outOf(record, 'only what is approved can be applied anyway');
    default:
      return unreachable(asking.kind);
  }
}

function approvable({ body, volatile }: Asking, { card, record }: ActionView): Fits {
  if (!isUndecided(record))
    return outOf(record, record.state === 'failed' || record.state === 'not-applied' ? 'retry or reject it' : null);
  if (blocksApproval(record.attention))
    return err(`#${record.seq} is in conflict with the files as they are: resolve it with mine, theirs or ask.`);
  if (record.mayHappenTwice) return err(twiceWhy(record));
  if (card === 'coming') return err(`What #${record.seq} would do has not all arrived on this device yet.`);
  if (card === 'lost')
    return err(
      `What #${record.seq} would do cannot be shown: the relay has lost part of it. Decide it where the runtime is.`,
    );
  if (record.reversible) return FITS;
  if (typeof body['unseenLines'] === 'number' && body['unseenLines'] > 0)
    return err(`#${record.seq} cannot be undone, so all of it must be looked at first.`);
  return volatile === null ? FITS : err(`#${record.seq} cannot be undone. ${volatile}`);
}

function rejectable(record: LedgerAction): Fits {
  // One that has begun is recorded as late, and a revert is offered (CA-5); one that is applied is reverted at once.
  if (UNCOMMITTED_STATES.has(record.state) || record.state === 'applying') return FITS;
  if (isDoubtful(record)) return outOf(record, 'settle whether it happened first');
  return outOf(record, record.state === 'applied' ? 'it can be reverted' : null);
}

function releasable(record: LedgerAction): Fits {
  if (record.state !== 'held') return outOf(record, 'it is not held');
  return record.holds.length > 0 ? FITS : err(`#${record.seq} is parked with what it needs. Release that.`);
}

function retractable({ device }: Asking, { claims, record }: ActionView): Fits {
  if (!isUndecided(record)) return outOf(record, 'it is past the point where an approval can be taken back');
  const claimed = claims.some(
    ({ kind, own, state }) => own && state !== 'refused' && (kind === 'approve' || kind === 'hold'),
  );
  const approved = record.by?.type === 'device' && record.by.device === device;
  const held = record.holds.some((hold) => hold.device === device);
  if (claimed || approved || held) return FITS;
  return err(`This device has neither approved nor held #${record.seq}; there is nothing to undo.`);
}

function revertible(record: LedgerAction): Fits {
  if (record.state !== 'applied') return outOf(record, 'only what was applied can be reverted');
  const { revertable } = record;
  if (record.reversible && revertable?.feasible !== false) return FITS;
  return err(`#${record.seq} cannot be reverted${revertable === null ? '' : `: ${revertable.why}`}.`);
}

function retriable({ body }: Asking, record: LedgerAction): Fits {
  // Taken back after it was to be tried again, it waits for that yes once more (EF-6).
  const again = record.state === 'pending' && record.mayHappenTwice;
  if (record.state !== 'failed' && record.state !== 'not-applied' && !again)
    return outOf(record, 'only what failed can be tried again');
  return record.mayHappenTwice && body['mayHappenTwice'] !== true ? err(twiceWhy(record)) : FITS;
}

function twiceWhy({ seq }: LedgerAction): string {
  return `#${seq} may happen twice if it is tried again; that needs its own yes.`;
}

function isUndecided({ state }: LedgerAction): boolean {
  return UNDECIDED.has(state);
}

function isDoubtful({ state }: LedgerAction): boolean {
  return state === 'in-doubt' || state === 'revert-in-doubt';
}

function outOf(record: LedgerAction, hint: string | null): Fits {
  return err(`#${record.seq} is ${record.state}${hint === null ? '' : `: ${hint}`}.`);
}
