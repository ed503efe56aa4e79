import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import type { Located } from '../inbox/located.ts';
import { askFor } from '../app/ask-for.ts';
import { usePanel } from '../app/panel-context.ts';
import { ClaimLines } from '../inbox/claim-lines.tsx';
import { decidedBy } from '../inbox/selection.ts';
import { Button } from '../parts/button.tsx';
import { Shown } from '../parts/shown.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { agoWords, ageWords } from '../words/counts.ts';
import { exitsOf } from '../words/exits.ts';

const ROW_HEIGHT = 76;

/** What is settled, newest first: what came of it, and the way back where there is one. */
export function AppliedList(): ReactNode {
  const { dispatch, snapshot } = usePanel();
  const [text, setText] = useState('');
  const all = useMemo(() => settledOf(snapshot.workspaces), [snapshot.workspaces]);
  const shown = useMemo(() => filtered(all, text), [all, text]);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (at) => shown[at]?.view.record.id ?? at,
    overscan: 8,
  });
  return (
    <>
      <div className="toolbar">
        <input
          type="search"
          className="search"
          aria-label="Filter what is settled"
          placeholder="Filter"
          data-search
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div ref={scroller} className="scroller" data-testid="applied">
        {shown.length === 0 ? <p className="empty">Nothing is settled yet.</p> : null}
        <div
          role="list"
          aria-label="Settled actions"
          className="virtual"
          style={{ height: virtualizer.getTotalSize() }}
        >
          {virtualizer.getVirtualItems().map(({ index: at, key, start }) => {
            const located = shown[at];
            if (located === undefined) return null;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={at}
                role="listitem"
                aria-posinset={at + 1}
                aria-setsize={shown.length}
                className="virtual-item"
                style={{ transform: `translateY(${start}px)` }}
              >
                <AppliedRow located={located} onOpen={() => dispatch({ type: 'open', id: located.view.record.id })} />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

function AppliedRow({ located, onOpen }: { readonly located: Located; readonly onOpen: () => void }): ReactNode {
  const panel = usePanel();
  const { nowMs } = panel;
  const { view } = located;
  const { record } = view;
  const revert = exitsOf(view, panel.snapshot.right).find(({ kind }) => kind === 'revert');
  return (
    <div className="row row-settled" data-open={panel.ui.opened === record.id || undefined}>
      <button type="button" className="row-main" data-key={record.id} onClick={onOpen}>
        <span className="row-title">
          <span className="seq">#{record.seq}</span> <Shown text={record.title} maxChars={240} />
        </span>
        <span className="row-meta">
          <StateMark state={record.state} />
          <span className="age">
            <span aria-hidden="true">{ageWords(record.changedAtMs, nowMs)}</span>
            <span className="hidden-text">{agoWords(record.changedAtMs, nowMs)}</span>
          </span>
          <span className="settled-by">{decidedBy(located)}</span>
        </span>
        {record.remark === null ? null : (
          <span className="row-remark">
            ! <Shown text={record.remark} maxChars={300} />
          </span>
        )}
        {record.reason === null ? null : (
          <span className="row-reason">
            <Shown text={record.reason} maxChars={300} />
          </span>
        )}
        <ClaimLines view={view} />
      </button>
      {revert === undefined ? null : (
        <span className="row-exit">
          <Button
            barred={revert.barred}
            label={`Revert #${record.seq}`}
            onPress={() => askFor(panel, revert, [record.id])}
          >
            Revert
          </Button>
        </span>
      )}
    </div>
  );
}

function settledOf(workspaces: readonly Located['workspace'][]): readonly Located[] {
  const all = workspaces.flatMap((workspace) =>
    workspace.settled.map((view): Located => ({ workspace, view, open: false })),
  );
  return workspaces.length < 2 ? all : all.toSorted((a, b) => b.view.record.changedAtMs - a.view.record.changedAtMs);
}

function filtered(all: readonly Located[], text: string): readonly Located[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return all;
  return all.filter(({ view: { record } }) =>
    [`#${record.seq}`, record.title, record.target, record.kind, record.state].some((word) =>
      word.toLowerCase().includes(wanted),
    ),
  );
}
