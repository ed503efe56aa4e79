import type { ActionState } from '../../model/action.ts';
import type { ItemKind } from '../../model/decision.ts';
import { isDenied } from '../ledger/settled.ts';
import type { ActionView } from '../types.ts';

/** States in which nothing goes on before a person speaks. */
const UNANSWERED: ReadonlySet<ActionState> = new Set<ActionState>([
  'pending',
  'failed',
  'not-applied',
  'in-doubt',
  'revert-in-doubt',
]);

/** After these the question is open again. */
const TAKES_BACK: ReadonlySet<ItemKind> = new Set<ItemKind>(['retract', 'release', 'reconsider']);

/** Does a person still have to answer it? Not when one has, on any device, and the runtime has only not taken it yet. */
export function needsYou({ claims, record }: ActionView): boolean {
  if (!UNANSWERED.has(record.state) && !isDenied(record)) return false;
  const newest = claims.findLast((claim) => claim.state !== 'refused');
  return newest === undefined || TAKES_BACK.has(newest.kind);
}
