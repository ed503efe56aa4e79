import { err, ok, type Result } from '../base/result.ts';

/** What a device may do, from nothing to everything; each right includes the ones before it. */
export const RIGHT_ORDER = ['view', 'reject-only', 'approve-reversible', 'approve-all'] as const;
export type Right = (typeof RIGHT_ORDER)[number];

/**
 * The least right for each kind of decision. `by-effect`: `approve-reversible` for an action that can be reverted,
 * `approve-all` for one that cannot. `access` knows no model, so the kinds stand here as words; a test keeps them
 * equal to the model's.
 */
const RIGHT_NEEDED = {
  reject: 'reject-only',
  change: 'reject-only',
  hold: 'reject-only',
  retract: 'reject-only',
  pause: 'reject-only',
  // Into plan mode, which stops as a pause does. Out of it: `maySetMode`.
  mode: 'reject-only',
  approve: 'by-effect',
  edit: 'by-effect',
  reissue: 'by-effect',
  retry: 'by-effect',
  revert: 'by-effect',
  settle: 'by-effect',
  release: 'by-effect',
  reconsider: 'by-effect',
  anyway: 'approve-all',
  'rule.add': 'approve-all',
  'rule.remove': 'approve-all',
  'device.confirm': 'approve-all',
  'device.rights': 'approve-all',
  'device.revoke': 'approve-all',
  resume: 'approve-all',
  'quarantine.leave': 'approve-all',
  adopt: 'approve-all',
} as const satisfies Record<string, Right | 'by-effect'>;

export type DecidableKind = keyof typeof RIGHT_NEEDED;

/** Kinds whose word is no verb of a sentence. */
const SPOKEN: Readonly<Partial<Record<DecidableKind, string>>> = {
  anyway: 'apply something in plan mode',
  change: 'ask for a change',
  mode: 'switch to plan mode',
  reconsider: 'let an agent ask again',
  'rule.add': 'make a rule',
  'rule.remove': 'remove a rule',
  'device.confirm': 'confirm a device',
  'device.rights': 'change the rights of a device',
  'device.revoke': 'remove a device',
  'quarantine.leave': 'leave quarantine',
  adopt: 'take over a workspace',
};

/**
 * May a device of this right make this kind of decision? `facts` are those of the item's action; `null` where there
 * is no action or nothing is known of it, which counts as not reversible.
 */
export function mayDecide(
  right: Right,
  kind: DecidableKind,
  facts: { readonly reversible: boolean } | null,
): Result<void> {
  const needed = rightNeeded(kind, facts);
  if (rightAtMost(needed, right)) return ok(undefined);
  const what = RIGHT_NEEDED[kind] === 'by-effect' && needed === 'approve-all' ? ' what cannot be undone' : '';
  return err(`To ${SPOKEN[kind] ?? kind}${what} a device needs the right ${needed}; this one has ${right}.`);
}

/** Back to act mode needs what resuming needs. */
export function maySetMode(right: Right, mode: 'act' | 'plan'): Result<void> {
  if (mode === 'plan') return mayDecide(right, 'mode', null);
  return rightAtMost('approve-all', right)
    ? ok(undefined)
    : err(`To leave plan mode a device needs the right approve-all; this one has ${right}.`);
}

/** Is `a` at most `b`? Nobody mints, confirms or raises a right above their own. */
export function rightAtMost(a: Right, b: Right): boolean {
  return RIGHT_ORDER.indexOf(a) <= RIGHT_ORDER.indexOf(b);
}

function rightNeeded(kind: DecidableKind, facts: { readonly reversible: boolean } | null): Right {
  const needed = RIGHT_NEEDED[kind];
  if (needed !== 'by-effect') return needed;
  return facts?.reversible === true ? 'approve-reversible' : 'approve-all';
}
