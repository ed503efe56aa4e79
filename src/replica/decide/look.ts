import { planCascade } from '../../model/cascade.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { ActionId, Digest } from '../../model/ids.ts';
import type { LedgerAction } from '../../model/ledger.ts';
import type { ActionIndex, Member } from '../ledger/action-index.ts';
import type { ActionView, Look, Wish } from '../types.ts';
import { fits, type Asking } from './fits.ts';

/** Kinds that take away what others may stand on. */
const TAKES_AWAY: ReadonlySet<ItemKind> = new Set<ItemKind>(['reject', 'change', 'revert']);

export interface LookedAt {
  readonly asking: Asking;
  readonly index: ActionIndex;
  readonly view: (id: ActionId) => ActionView | undefined;
  readonly plan: (roots: readonly ActionId[]) => { readonly steps: readonly LedgerAction[]; readonly hash: Digest };
}

/** What a wish would name, and bring with it, as things are now. Changes nothing. */
export function lookAt({ asking, index, plan, view }: LookedAt, wish: Pick<Wish, 'ids' | 'shown'>): Look {
  const included: LedgerAction[] = [];
  const excluded: { id: ActionId; why: string }[] = [];
  for (const id of new Set(wish.ids)) {
    const known = view(id);
    const why = known === undefined ? 'It is not in the queue any more.' : whyNot(asking, known, wish);
    if (known !== undefined && why === null) included.push(known.record);
    else excluded.push({ id, why: why ?? '' });
  }
  const ids = included.toSorted((a, b) => a.place - b.place).map((record) => record.id);
  const look: Look = { included: ids, excluded, falls: [], lookAgain: [], takesBack: [], planHash: null, more: false };
  if (!TAKES_AWAY.has(asking.kind)) return look;
  const { hash, steps } = asking.kind === 'revert' ? plan(ids) : { steps: [], hash: null };
  const takesBack = steps.filter(({ id }) => !ids.includes(id));
  const gone = [...included, ...takesBack];
  const { falls, lookAgain } = planCascade(
    withSettled(index, gone),
    gone.map(({ id }) => id),
  );
  return {
    ...look,
    falls,
    lookAgain,
    takesBack: takesBack.map(({ id }) => id),
    planHash: takesBack.length === 0 ? null : hash,
    more: index.hasCutEdges(),
  };
}

function whyNot(asking: Asking, view: ActionView, { shown }: Pick<Wish, 'shown'>): string | null {
  const digest = shown?.get(view.record.id);
  if (digest !== undefined && digest !== view.record.digest)
    return `#${view.record.seq} has changed since it was shown; look at it again.`;
  const fit = fits(asking, view);
  return fit.ok ? null : fit.error;
}

/** A root may be applied already: its number still leads to what stands on it. */
function withSettled(index: ActionIndex, roots: readonly LedgerAction[]) {
  const seqs = new Map(roots.map((record) => [record.id, record.seq]));
  const seqOf = (id: ActionId): number => seqs.get(id) ?? index.open(id)?.record.seq ?? 0;
  return {
    open: (id: ActionId): Member | undefined => index.open(id),
    dependantsOf: (id: ActionId) => index.dependantsOfSeq(seqOf(id)),
    sawBy: (id: ActionId) => index.sawSeq(seqOf(id)),
    shownTo: (id: ActionId) => index.shownTo(id),
  };
}
