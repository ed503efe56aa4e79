import { useCallback, useRef, useState, type ReactNode } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { throughRow } from '../../replica/inbox/through.ts';
import { lookOver } from '../app/ask-for.ts';
import { usePanel } from '../app/panel-context.ts';
import { runCommand } from '../app/run-command.ts';
import { useKeys } from '../app/use-keys.ts';
import type { InboxView } from '../app/use-inbox.ts';
import { BulkBar } from './bulk-bar.tsx';
import { FilterBar } from './filter-bar.tsx';
import { InboxList } from './inbox-list.tsx';
import type { InboxItem, RowItem, SetItem } from './inbox-items.ts';
import { isTickable } from './located.ts';
import { RowMenu } from './row-menu.tsx';
import { rangeOf, tickableIds, toggled } from './selection.ts';

/** What waits for a person, and the hands to work on it. */
export function InboxPage({ view }: { readonly view: InboxView }): ReactNode {
  const panel = usePanel();
  const { dispatch, index, snapshot, ui } = panel;
  const [menu, setMenu] = useState<RowItem | null>(null);
  const { fresh, items, shownIds } = view;
  const { keptBack } = panel.gesturesState;

  const select = (selected: ReadonlySet<ActionId>, anchor: ActionId | null): void =>
    dispatch({ type: 'select', selected, anchor, shown: shownIds() });
  const tick = (item: RowItem, range: boolean): void => {
    if (range && ui.anchor !== null) {
      const ids = rangeOf(items, ui.anchor, item.key).flatMap((row) => tickableIds(row.ids, index, keptBack));
      return select(new Set([...ui.selected, ...ids]), ui.anchor);
    }
    select(toggled(tickableIds(item.ids, index, keptBack), ui.selected), item.key);
  };
  const tickAll = (item: InboxItem): void => select(toggled(tickableIds(item.ids, index, keptBack), ui.selected), null);
  const through = (item: SetItem): void => {
    const open = snapshot.workspaces.find(({ id }) => id === item.workspace)?.open ?? [];
    lookOver(panel, { kind: 'approve', ids: throughRow(open.filter(isTickable), item.last) });
  };
  const rows = items.filter((item) => item.type === 'row');
  const wanted = useRef<ActionId | null>(null);
  const focusRow = useCallback((key: ActionId) => {
    wanted.current = key;
    // The row may have to be drawn first: it was scrolled to in the frame before. By then a quicker key may have gone
    // on, and focus takes the cursor along: only the newest row gets it.
    const focus = (): void => {
      if (wanted.current === key) {
        document.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus({ preventScroll: true });
      }
    };
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }, []);
  useKeys((command) => runCommand(command, panel, { rows, tick, focusRow }));

  const layout = [items.length, ui.selected.size === 0 ? 0 : 1, panel.gesturesState.outcomes.length].join();
  return (
    <>
      <FilterBar rows={rows.length} />
      {items.length === 0 ? (
        <Empty />
      ) : (
        <InboxList items={items} onTick={tick} onTickAll={tickAll} onThrough={through} onMenu={setMenu} />
      )}
      <BulkBar layout={layout} fresh={fresh} onThaw={() => dispatch({ type: 'thaw', shown: allOpen() })} />
      {menu === null ? null : <RowMenu item={menu} onClose={() => setMenu(null)} />}
    </>
  );

  function allOpen(): readonly ActionId[] {
    return snapshot.workspaces.flatMap(({ open }) => open.map(({ record }) => record.id));
  }
}

function Empty(): ReactNode {
  const { snapshot, ui } = usePanel();
  const loading = snapshot.workspaces.length === 0 || snapshot.workspaces.every(({ loaded }) => loaded === 'none');
  const barred =
    snapshot.alarms.some(({ kind }) => kind === 'revoked') ||
    (snapshot.workspaces.length > 0 &&
      snapshot.workspaces.every(({ quarantine, trouble }) => quarantine !== null || trouble !== null));
  const filtered = ui.filter.text !== '' || ui.filter.needsYou || ui.filter.workspace !== null;
  return (
    <div className="empty" data-testid="inbox">
      <p>
        {barred && !filtered
          ? 'Nothing can be shown here now.'
          : loading
            ? 'Fetching what waits for you…'
            : filtered
              ? 'Nothing fits the filter.'
              : 'Nothing waits for you.'}
      </p>
      {loading || filtered || barred ? null : <p className="hint">What agents propose shows up here by itself.</p>}
    </div>
  );
}
