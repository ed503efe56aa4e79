import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type ReactNode } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { formatCount } from '../../model/display.ts';
import { usePanel } from '../app/panel-context.ts';
import { Shown } from '../parts/shown.tsx';

interface ActionLinesProps {
  readonly title: string;
  readonly ids: readonly ActionId[];
  readonly tone?: 'bad' | 'warn' | 'plain';
  readonly whys?: ReadonlyMap<ActionId, string>;
  readonly left?: ReadonlySet<ActionId>;
  /** Leaves one out, or takes it in again. */
  readonly onToggle?: ((id: ActionId) => void) | null;
}

const LINE_HEIGHT = 44;

/** Actions by number and title, all of them, whatever their count. */
export function ActionLines({ ids, left, onToggle = null, title, tone = 'plain', whys }: ActionLinesProps): ReactNode {
  const { index } = usePanel();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (at) => ids[at] ?? at,
    overscan: 6,
  });
  if (ids.length === 0) return null;
  return (
    <section className={`lines lines-${tone}`}>
      <h3>
        {title} <span className="lines-count">{formatCount(ids.length)}</span>
      </h3>
      {/* A list that scrolls must be reachable by keyboard. */}
      <div ref={scroller} className="lines-scroller" tabIndex={0} role="list" aria-label={title}>
        <div className="virtual" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index: at, key, start }) => {
            const id = ids[at];
            const record = id === undefined ? undefined : index.get(id)?.view.record;
            if (id === undefined) return null;
            const words = (
              <>
                <span className="seq">{record === undefined ? '' : `#${record.seq}`}</span>{' '}
                <Shown text={record?.title ?? 'not in the queue any more'} maxChars={240} />
              </>
            );
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={at}
                role="listitem"
                className="virtual-item line"
                style={{ transform: `translateY(${start}px)` }}
              >
                {onToggle === null ? (
                  <span className="line-words">{words}</span>
                ) : (
                  <label className="line-pick">
                    <input type="checkbox" checked={left?.has(id) !== true} onChange={() => onToggle(id)} />
                    <span className="line-words">{words}</span>
                  </label>
                )}
                {whys?.get(id) === undefined ? null : <span className="line-why">{whys.get(id)}</span>}
              </div>
            );
          })}
        </div>
      </div>
    </section>
  );
}
