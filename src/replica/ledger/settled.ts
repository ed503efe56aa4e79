import type { ActionState } from '../../model/action.ts';
import type { LedgerAction } from '../../model/ledger.ts';

const SETTLED_STATES: ReadonlySet<ActionState> = new Set<ActionState>(['applied', 'reverted', 'rejected']);

/** Nothing more happens to it by itself, and nobody has to answer it. */
export function isSettled(record: LedgerAction): boolean {
  return SETTLED_STATES.has(record.state) && !isDenied(record);
}

/**
 * Late evidence says that it happened, against a person's word. It is an alarm, and its lane waits, until somebody
 * settles it as the evidence says, or reverts it (EF-6).
 */
export function isDenied({ contradicted, state }: LedgerAction): boolean {
  return state === 'applied' && contradicted;
}
