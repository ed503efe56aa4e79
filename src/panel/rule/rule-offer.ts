import type { Right } from '../../model/decision.ts';
import type { LedgerKind } from '../../model/ledger.ts';
import { standing, type Located } from '../inbox/located.ts';

/** May a rule be made from this card? `null`: it is no longer asked; `barred`: why not, for the person. */
export type RuleOffer =
  | { readonly kind: LedgerKind; readonly barred: null }
  | { readonly kind: null; readonly barred: string };

export const NO_RULE_RIGHT = 'Rules are made and removed on a device with every right; this one has fewer.';

/** What is undecided can be allowed from now on, where a rule would speak for it at all (DR-2). */
export function ruleOffer({ open, view, workspace }: Located, right: Right): RuleOffer | null {
  const { record } = view;
  if (!open || record.state !== 'pending' || standing(view) !== undefined) return null;
  if (!record.reversible) return barred('No rule can allow this: it cannot be undone.');
  if (!record.inspectable) return barred('No rule can allow this: it cannot be inspected.');
  if (!record.verdict.autoApprovable)
    return barred(`No rule can allow this: a person has to look at it. ${record.verdict.reason}`.trim());
  const kind = workspace.kinds.find(({ tag }) => tag === record.kind);
  if (kind === undefined) return barred('No rule can allow this: its kind is not one that rules can be about.');
  return right === 'approve-all' ? { kind, barred: null } : barred(NO_RULE_RIGHT);
}

function barred(why: string): RuleOffer {
  return { kind: null, barred: why };
}
