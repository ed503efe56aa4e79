import { unreachable } from '../../base/assert.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { ActionId } from '../../model/ids.ts';
import type { RowItem } from '../inbox/inbox-items.ts';
import { leadOf } from '../inbox/row.tsx';
import { exitsOf } from '../words/exits.ts';
import { askFor, lookOver } from './ask-for.ts';
import type { KeyCommand } from './keys.ts';
import type { Panel } from './panel-context.ts';

export interface ListHands {
  /** Rows in the order of the screen. */
  readonly rows: readonly RowItem[];
  readonly tick: (item: RowItem, range: boolean) => void;
  readonly focusRow: (key: ActionId) => void;
}

/** Does what a key means, to what the keyboard stands on. */
export function runCommand(command: KeyCommand, panel: Panel, hands: ListHands): void {
  const { dispatch, gestures, ui } = panel;
  const row = hands.rows.find(({ key }) => key === ui.cursor);
  switch (command) {
    case 'next':
    case 'previous':
      return step(command === 'next' ? 1 : -1, panel, hands);
    case 'tick':
    case 'tick-range':
      return row === undefined ? undefined : hands.tick(row, command === 'tick-range');
    case 'approve':
    case 'reject':
    case 'change':
    case 'hold':
      return decide(command, panel, row);
    case 'view':
      return row === undefined ? undefined : dispatch({ type: 'open', id: row.key });
    case 'undo':
      return gestures.undo() ? undefined : gestures.say('There is nothing to undo here.');
    case 'search':
      return focus('[data-search]');
    case 'help':
      return dispatch({ type: 'help', open: true });
    case 'leave':
      if (ui.opened !== null) {
        dispatch({ type: 'close' });
        return ui.cursor === null ? undefined : hands.focusRow(ui.cursor);
      }
      return dispatch({ type: 'select', selected: new Set(), anchor: null, shown: [] });
    default:
      return unreachable(command);
  }
}

function step(by: 1 | -1, { dispatch, ui }: Panel, { focusRow, rows }: ListHands): void {
  const at = rows.findIndex(({ key }) => key === ui.cursor);
  const next = rows[at === -1 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (next === undefined) return;
  // Whoever reads details goes on reading the next one's.
  dispatch({ type: ui.opened === null ? 'cursor' : 'open', id: next.key, reveal: true });
  focusRow(next.key);
}

function decide(kind: ItemKind, panel: Panel, row: RowItem | undefined): void {
  const { selected } = panel.ui;
  if (selected.size > 0) return lookOver(panel, { kind, ids: [...selected] });
  if (row === undefined) return;
  const lead = leadOf(row.row.steps);
  if (panel.gesturesState.keptBack.has(lead.record.id))
    return panel.gestures.say(`#${lead.record.seq} was just decided here. Undo that first.`);
  const exit = exitsOf(lead, panel.snapshot.right).find((each) => each.kind === kind);
  if (exit === undefined) return panel.gestures.say(`There is nothing to ${kind} at #${lead.record.seq} now.`);
  const ids = row.row.steps.filter(({ record }) => record.state === lead.record.state).map(({ record }) => record.id);
  askFor(panel, exit, ids);
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
