import { useMemo, type ReactNode } from 'react';
import { usePanel } from '../app/panel-context.ts';
import { gestureOf, lookOver } from '../app/ask-for.ts';
import type { ItemKind } from '../../model/decision.ts';
import { Button } from '../parts/button.tsx';
import { useArmed } from '../parts/use-armed.ts';
import { formatCount } from '../../model/display.ts';

interface BulkBarProps {
  /** Changes whenever what is above the bar moved. */
  readonly layout: string;
  /** Actions that came since the list was frozen. */
  readonly fresh: number;
  readonly onThaw: () => void;
}

/** What to do with everything that is ticked. Below the list, never over it. */
export function BulkBar({ fresh, layout, onThaw }: BulkBarProps): ReactNode {
  const panel = usePanel();
  const { dispatch, gestures, index, snapshot, ui } = panel;
  const { selected } = ui;
  const armed = useArmed(layout);
  const ids = useMemo(() => [...selected], [selected]);
  const approvable = useMemo(
    () => gestures.look(gestureOf({ index }, { kind: 'approve', ids })).included.length,
    [gestures, ids, index],
  );
  if (selected.size === 0) return null;
  const barred = snapshot.right === 'view' ? 'This device may only look.' : null;
  const cannotApprove =
    snapshot.right === 'reject-only' ? 'This device may only reject, hold and ask for changes.' : barred;
  const open = (kind: ItemKind) => () => lookOver(panel, { kind, ids });
  return (
    <section className="bulk-bar" aria-label="Selected actions">
      <p className="bulk-count">
        <strong>{formatCount(selected.size)}</strong> selected
        <button
          type="button"
          className="text-button"
          onClick={() => dispatch({ type: 'select', selected: new Set(), anchor: null, shown: [] })}
        >
          Clear
        </button>
        {fresh > 0 ? (
          <button type="button" className="text-button" onClick={onThaw}>
            {formatCount(fresh)} new, show
          </button>
        ) : null}
      </p>
      <div className="bulk-buttons">
        <Button look="main" armed={armed} barred={cannotApprove} hotkey="a" onPress={open('approve')}>
          Approve {formatCount(approvable)}
        </Button>
        <Button look="risky" armed={armed} barred={barred} hotkey="r" onPress={open('reject')}>
          Reject
        </Button>
        <Button armed={armed} barred={barred} hotkey="c" onPress={open('change')}>
          Ask for a change
        </Button>
        <Button armed={armed} barred={barred} hotkey="h" onPress={open('hold')}>
          Hold
        </Button>
      </div>
    </section>
  );
}
