import type { ActionId } from '../../model/ids.ts';
import { givenBackBecause } from '../../model/list-back.ts';
import type { ActionView } from '../../replica/types.ts';
import { isTickable } from '../inbox/located.ts';

/** What is left of a list that was given back. */
export interface ListBack {
  /** What stood in the way, and why. */
  readonly because: string;
  readonly ids: readonly ActionId[];
}

/** Lists that were given back and wait for a person: without what stood in their way, and what was decided since. */
export function listsBack(open: readonly ActionView[]): readonly ListBack[] {
  const lists = new Map<string, ActionId[]>();
  for (const view of open) {
    const because = givenBackBecause(view.record.remark);
    if (because === null || !isLeft(view)) continue;
    const known = lists.get(because);
    if (known === undefined) lists.set(because, [view.record.id]);
    else known.push(view.record.id);
  }
  return [...lists].map(([because, ids]) => ({ because, ids }));
}

/** Nothing stands in its own way, and nobody has decided about it since. */
export function isLeft(view: ActionView): boolean {
  return view.record.state === 'pending' && view.record.attention === null && isTickable(view);
}
