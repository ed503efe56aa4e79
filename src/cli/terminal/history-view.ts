import type { ActionDetail } from '../../model/owner-port.ts';
import { formatCount } from '../../model/display.ts';
import type { ActionId } from '../../model/ids.ts';
import { seen } from './seen.ts';
import type { Screen } from './style.ts';
import { renderTable, type Column } from './table.ts';
import { ageText } from './words.ts';

const COLUMNS: readonly Column[] = [
  { header: 'entry', align: 'right', dropOrder: 2 },
  { header: 'what', widthMin: 16, dropOrder: 0 },
  { header: 'by', widthMin: 8, dropOrder: 0 },
  { header: 'detail', widthMin: 8, dropOrder: 3 },
  { header: 'age', align: 'right', dropOrder: 0 },
];
/** Newest entries shown; the audit log has them all. */
const ENTRIES_MAX = 30;
/** Members of an event's detail that are words for people. */
const WORDS = ['why', 'reason', 'answer', 'note'] as const;

/** What happened to an action, oldest first. */
export function renderHistory(
  history: ActionDetail['history'],
  seqs: ReadonlyMap<ActionId, number>,
  screen: Screen,
): readonly string[] {
  if (history.length === 0) return [];
  const { style, nowMs } = screen;
  const shown = history.slice(-ENTRIES_MAX);
  const rows = shown.map(({ seq, atMs, kind, by, detail }) => [
    { text: String(seq), paint: style.dim },
    { text: seen(kind, { maxChars: 64 }) },
    { text: seen(by, { maxChars: 80 }) },
    { text: words(detail, seqs), paint: style.dim },
    { text: ageText(atMs, nowMs), paint: style.dim },
  ]);
  const earlier = history.length - shown.length;
  const { header, rows: lines } = renderTable(COLUMNS, rows, screen);
  return [header, ...(earlier === 0 ? [] : [`… ${formatCount(earlier)} earlier: countersign audit export`]), ...lines];
}

/** Other actions stand in it by their ids; people know them by their numbers. */
function words(detail: ActionDetail['history'][number]['detail'], seqs: ReadonlyMap<ActionId, number>): string {
  const found = WORDS.map((key) => detail[key]).filter((value) => typeof value === 'string');
  const named = found.join(' · ').replaceAll(/\ba-[a-z2-7]{26}\b/gu, (id) => {
    // reason: looked up only; what is no id of an action is not in the map
    const seq = seqs.get(id as ActionId);
    return seq === undefined ? id : `#${seq}`;
  });
  return seen(named, { maxChars: 200 });
}
