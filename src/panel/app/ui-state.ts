import type { JsonObject } from '../../base/canonical-json.ts';
import type { ItemKind } from '../../model/decision.ts';
import type { ActionId, Digest } from '../../model/ids.ts';
import { NO_FILTER, type InboxFilter } from '../inbox/inbox-items.ts';

export type Page = 'inbox' | 'applied' | 'audit';

/** What a person is about to sign; the list is fixed when the sheet opens (PN-5). */
export interface Gesture {
  readonly kind: ItemKind;
  readonly ids: readonly ActionId[];
  /** Digests as they stood before the person (DC-1). */
  readonly shown: ReadonlyMap<ActionId, Digest>;
  /** Several were pointed at as one: what needs a tick of its own is left out (T3). */
  readonly bulk: boolean;
  readonly body?: JsonObject;
  /** Where the button says it in other words than the kind does: `Keep mine`. */
  readonly label?: string;
  /** What comes of it, where the label alone would leave that open. */
  readonly means?: string;
}

/** What this window shows. Nothing of it leaves the window. */
export interface Ui {
  readonly page: Page;
  /** The action whose details are open. */
  readonly opened: ActionId | null;
  /** The row the keyboard stands on. */
  readonly cursor: ActionId | null;
  /** A key moved it, so that it is scrolled to. What a finger touches must not move away under it. */
  readonly reveal: boolean;
  readonly selected: ReadonlySet<ActionId>;
  /** Where a range with shift begins. */
  readonly anchor: ActionId | null;
  /** What the list may show while something is selected: `null` when nothing is. */
  readonly frozen: ReadonlySet<ActionId> | null;
  readonly filter: InboxFilter;
  readonly sheet: Gesture | null;
  /** The action from whose card a rule is being made. */
  readonly ruleFrom: ActionId | null;
  readonly help: boolean;
}

export type UiEvent =
  | { readonly type: 'page'; readonly page: Page }
  | { readonly type: 'open'; readonly id: ActionId; readonly reveal?: boolean }
  | { readonly type: 'close' }
  | { readonly type: 'cursor'; readonly id: ActionId; readonly reveal?: boolean }
  | {
      readonly type: 'select';
      readonly selected: ReadonlySet<ActionId>;
      readonly anchor: ActionId | null;
      /** What is on the list now. */
      readonly shown: Iterable<ActionId>;
    }
  | { readonly type: 'leave'; readonly ids: readonly ActionId[] }
  | { readonly type: 'thaw'; readonly shown: Iterable<ActionId> }
  | { readonly type: 'filter'; readonly filter: InboxFilter }
  | { readonly type: 'sheet'; readonly gesture: Gesture | null }
  | { readonly type: 'rule'; readonly id: ActionId | null }
  | { readonly type: 'help'; readonly open: boolean };

export const FIRST_UI: Ui = {
  page: 'inbox',
  opened: null,
  cursor: null,
  reveal: false,
  selected: new Set(),
  anchor: null,
  frozen: null,
  filter: NO_FILTER,
  sheet: null,
  ruleFrom: null,
  help: false,
};

export function stepUi(ui: Ui, event: UiEvent): Ui {
  switch (event.type) {
    case 'page':
      return { ...ui, page: event.page, opened: null, ...CLEARED };
    case 'open':
      return { ...ui, opened: event.id, cursor: event.id, reveal: event.reveal ?? false };
    case 'close':
      return { ...ui, opened: null };
    case 'cursor':
      return { ...ui, cursor: event.id, reveal: event.reveal ?? false };
    case 'select':
      return { ...ui, ...selecting(ui, event) };
    case 'leave': {
      const selected = new Set(ui.selected);
      for (const id of event.ids) selected.delete(id);
      return { ...ui, selected, frozen: selected.size === 0 && ui.sheet === null ? null : ui.frozen };
    }
    case 'thaw':
      return { ...ui, frozen: ui.frozen === null ? null : new Set(event.shown) };
    case 'filter':
      // What is selected but not shown would be decided unseen.
      return { ...ui, filter: event.filter, ...CLEARED };
    case 'sheet':
      return { ...ui, sheet: event.gesture };
    case 'rule':
      return { ...ui, ruleFrom: event.id };
    case 'help':
      return { ...ui, help: event.open };
  }
}

const CLEARED = { selected: new Set<ActionId>(), anchor: null, frozen: null } as const;

function selecting(ui: Ui, event: UiEvent & { readonly type: 'select' }): Partial<Ui> {
  if (event.selected.size === 0) return { ...CLEARED, anchor: event.anchor };
  return { selected: event.selected, anchor: event.anchor, frozen: ui.frozen ?? new Set(event.shown) };
}
