import { useMemo, useState } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { createInbox, type Inbox } from '../../replica/inbox/create-inbox.ts';
import { inboxItems, type InboxItem } from '../inbox/inbox-items.ts';
import { usePanel } from './panel-context.ts';

export interface InboxView {
  readonly inbox: Inbox;
  readonly items: readonly InboxItem[];
  /** Open actions that came since the list was frozen and are not on it. */
  readonly fresh: number;
  /** All that the list shows now. */
  readonly shownIds: () => readonly ActionId[];
}

/** The list as this window shows it: grouped, filtered, and frozen while something is selected. */
export function useInbox(): InboxView {
  const { snapshot, ui } = usePanel();
  const [group] = useState(createInbox);
  const inbox = useMemo(() => group(snapshot.workspaces), [group, snapshot.workspaces]);
  const items = useMemo(() => inboxItems(inbox, ui.filter, ui.frozen), [inbox, ui.filter, ui.frozen]);
  const fresh = useMemo(() => {
    const { frozen } = ui;
    if (frozen === null) return 0;
    return snapshot.workspaces.flatMap(({ open }) => open).filter(({ record }) => !frozen.has(record.id)).length;
  }, [snapshot.workspaces, ui]);
  const shownIds = (): readonly ActionId[] => items.flatMap((item) => (item.type === 'row' ? item.ids : []));
  return { inbox, items, fresh, shownIds };
}
