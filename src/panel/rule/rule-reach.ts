import type { ActionContent } from '../../model/content.ts';
import type { ActionId } from '../../model/ids.ts';
import { covers } from '../../model/rule-match.ts';
import type { RuleKind } from '../../model/rule-text.ts';
import type { RuleWish } from '../../model/rules.ts';
import type { ActionView } from '../../replica/types.ts';
import { standing } from '../inbox/located.ts';

/** A queued action of the rule's kind; without content where what it would do is not here. */
export interface Candidate {
  readonly view: ActionView;
  readonly content: ActionContent | undefined;
}

export interface RuleReach {
  /** What it would approve as soon as it is taken. */
  readonly covered: readonly ActionId[];
  readonly left: readonly { readonly id: ActionId; readonly why: string }[];
}

/** What a rule does to what is queued now: the same tests that the runtime holds it against. */
export function reachOf(kind: RuleKind, wish: RuleWish, candidates: readonly Candidate[]): RuleReach {
  const covered: ActionId[] = [];
  const left: { id: ActionId; why: string }[] = [];
  for (const candidate of candidates) {
    const { id } = candidate.view.record;
    const why = whyLeft(kind, wish, candidate);
    if (why === null) covered.push(id);
    else left.push({ id, why });
  }
  return { covered, left };
}

function whyLeft({ fields }: RuleKind, wish: RuleWish, { content, view }: Candidate): string | null {
  const { record } = view;
  if (record.state !== 'pending' || standing(view) !== undefined) return 'It is decided about already.';
  if (record.attention !== null) return 'It is to be looked at by a person.';
  if (!record.reversible) return 'It cannot be undone.';
  if (!record.inspectable) return 'It cannot be inspected.';
  if (!record.verdict.autoApprovable) return `A person has to look at it. ${record.verdict.reason}`.trim();
  if (content === undefined) return 'What it would do is not here, so nobody can tell.';
  return covers(wish, { content, card: { title: '', target: '', fields } }) ? null : 'Not what this rule is about.';
}
