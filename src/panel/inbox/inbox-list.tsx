import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import { usePanel } from '../app/panel-context.ts';
import { SessionHeading, SetHeading } from './headings.tsx';
import type { InboxItem, RowItem, SetItem } from './inbox-items.ts';
import { Row } from './row.tsx';

export interface InboxListProps {
  readonly items: readonly InboxItem[];
  readonly onTick: (item: RowItem, range: boolean) => void;
  readonly onTickAll: (item: InboxItem) => void;
  readonly onThrough: (item: SetItem) => void;
  readonly onMenu: (item: RowItem) => void;
}

const HEIGHTS = { session: 60, set: 44, row: 72 } as const;
/** Rows drawn beyond each edge, so that a quick thumb sees no white. */
const OVERSCAN = 8;

/** The list itself: only what is in sight is in the page, whatever its length. */
export function InboxList({ items, onMenu, onThrough, onTick, onTickAll }: InboxListProps): ReactNode {
  const { ui } = usePanel();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => HEIGHTS[items[at]?.type ?? 'row'],
    getItemKey: (at) => items[at]?.key ?? at,
    overscan: OVERSCAN,
  });
  const cursorAt = items.findIndex(({ key }) => key === ui.cursor);
  useEffect(() => {
    if (cursorAt !== -1 && ui.reveal) virtualizer.scrollToIndex(cursorAt, { align: 'auto' });
  }, [cursorAt, ui.reveal, virtualizer]);
  const rows = items.filter(({ type }) => type === 'row').length;
  return (
    <div ref={scroller} className="scroller inbox-scroller" data-testid="inbox">
      <div
        role="list"
        aria-label={`Open actions, ${rows} rows`}
        className="virtual"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ index: at, key, start }) => {
          const item = items[at];
          if (item === undefined) return null;
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={at}
              role="listitem"
              aria-posinset={at + 1}
              aria-setsize={items.length}
              className={`virtual-item item-${item.type}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              {item.type === 'session' ? <SessionHeading item={item} onTickAll={onTickAll} /> : null}
              {item.type === 'set' ? <SetHeading item={item} onTickAll={onTickAll} onThrough={onThrough} /> : null}
              {item.type === 'row' ? <Row item={item} onTick={onTick} onMenu={onMenu} /> : null}
            </div>
          );
        })}
      </div>
    </div>
  );
}
