import type { Action } from './action.ts';

/** Key of the change set an action belongs to: what one turn of one root session made. Shape: `s-…/3`. */
export function changeSetOf(action: Pick<Action, 'lineage'>): string {
  return `${action.lineage.root}/${action.lineage.turn}`;
}
