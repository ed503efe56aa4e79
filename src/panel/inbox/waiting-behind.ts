import type { ActionId } from '../../model/ids.ts';
import { needsYou } from '../../replica/inbox/needs-you.ts';
import type { Located } from './located.ts';

export interface WaitingBehind {
  /** Of what would be approved: how many stay where they are for now. */
  readonly count: number;
  /** Numbers of what they wait for, from the front. */
  readonly behind: readonly number[];
}

/**
 * Actions of one agent happen in their order (DR-1): what is approved behind something undecided waits for it. Who
 * leaves one out is told so before, not by a file that does not change.
 */
export function waitingBehind(included: readonly ActionId[], index: ReadonlyMap<ActionId, Located>): WaitingBehind {
  const named = new Set(included);
  const lanes = new Map<string, { readonly undecided: Located[]; readonly approved: Located[] }>();
  for (const [id, located] of index) {
    const approved = named.has(id);
    if (!located.open || !(approved || needsYou(located.view))) continue;
    const key = `${located.workspace.id} ${located.view.record.lane}`;
    const lane = lanes.get(key) ?? { undecided: [], approved: [] };
    lane[approved ? 'approved' : 'undecided'].push(located);
    lanes.set(key, lane);
  }
  const behind: number[] = [];
  let count = 0;
  for (const { approved, undecided } of lanes.values()) {
    const first = undecided.reduce((least, each) => Math.min(least, placeOf(each)), Infinity);
    const last = approved.reduce((most, each) => Math.max(most, placeOf(each)), -Infinity);
    count += approved.filter((each) => placeOf(each) > first).length;
    behind.push(...undecided.filter((each) => placeOf(each) < last).map(({ view }) => view.record.seq));
  }
  return { count, behind: behind.toSorted((a, b) => a - b) };
}

function placeOf({ view }: Located): number {
  return view.record.place;
}
