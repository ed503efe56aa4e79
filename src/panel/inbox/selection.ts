import type { GesturesState } from '../app/gestures.ts';
import type { ActionId } from '../../model/ids.ts';
import { nicknameOf, doneOf } from '../words/claim-words.ts';
import { stateWords } from '../words/state-words.ts';
import type { InboxItem, RowItem } from './inbox-items.ts';
import { isTickable, standing, type Located } from './located.ts';

export type Ticked = 'none' | 'some' | 'all';

/** How much of these is selected, of what may be. */
export function tickedOf(ids: readonly ActionId[], selected: ReadonlySet<ActionId>): Ticked {
  const count = ids.filter((id) => selected.has(id)).length;
  if (count === 0) return 'none';
  return count === ids.length ? 'all' : 'some';
}

/** Those that may be selected: not what was just rejected here and can still be undone. */
export function tickableIds(
  ids: readonly ActionId[],
  index: ReadonlyMap<ActionId, Located>,
  keptBack: GesturesState['keptBack'],
): readonly ActionId[] {
  return ids.filter((id) => {
    if (keptBack.has(id)) return false;
    const found = index.get(id);
    return found !== undefined && found.open && isTickable(found.view);
  });
}

/** All of them when not all are selected, else none of them. */
export function toggled(ids: readonly ActionId[], selected: ReadonlySet<ActionId>): ReadonlySet<ActionId> {
  const next = new Set(selected);
  const off = tickedOf(ids, selected) === 'all';
  for (const id of ids) {
    if (off) next.delete(id);
    else next.add(id);
  }
  return next;
}

/** The rows from one to another, both included, in the order of the screen. */
export function rangeOf(items: readonly InboxItem[], from: ActionId, to: ActionId): readonly RowItem[] {
  const rows = items.filter((item) => item.type === 'row');
  const [a, b] = [rows.findIndex(({ key }) => key === from), rows.findIndex(({ key }) => key === to)];
  if (b === -1) return [];
  return a === -1 ? rows.slice(b, b + 1) : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}

export interface Leaving {
  readonly id: ActionId;
  /** `#12: approved on phone.` */
  readonly sentence: string;
}

/** PN-4: what is selected and was decided or settled elsewhere, with who did. */
export function leaving(selected: ReadonlySet<ActionId>, index: ReadonlyMap<ActionId, Located>): readonly Leaving[] {
  return [...selected].flatMap((id) => {
    const found = index.get(id);
    if (found === undefined) return [{ id, sentence: 'One action is not in the queue any more.' }];
    if (found.open && isTickable(found.view)) return [];
    return [{ id, sentence: `#${found.view.record.seq}: ${settledBy(found)}.` }];
  });
}

/** What became of it and who said so: `approved on phone`, `rejected, decided on phone`. */
function settledBy(located: Located): string {
  const claim = standing(located.view);
  if (claim !== undefined)
    return `${doneOf(claim.kind).toLowerCase()} ${claim.own ? 'on this device' : `on ${nicknameOf(claim.nickname)}`}`;
  const { word } = stateWords(located.view.record.state);
  const by = decidedBy(located);
  return by === '' ? word : `${word}, ${by}`;
}

/** Who or what decided what it is now; empty while nobody did. */
export function decidedBy({ view: { record }, workspace }: Located): string {
  switch (record.by?.type) {
    case 'device':
      return `decided on ${nicknameOf(workspace.devices.get(record.by.device)?.nickname ?? '')}`;
    case 'session':
      return 'taken back by the agent';
    case 'rule':
      return 'by a rule';
    case 'authority':
      return record.because === 'cascade' ? 'what it needs was rejected' : '';
    case undefined:
      return '';
  }
}
