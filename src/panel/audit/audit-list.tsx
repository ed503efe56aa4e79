import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { formatCount } from '../../model/display.ts';
import type { AuditLine, WorkspaceView } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { Name, Shown } from '../parts/shown.tsx';
import { auditWords } from '../words/audit-words.ts';
import { timeWords } from '../words/counts.ts';
import { useAuditLines } from './use-audit-lines.ts';
import { Verify } from './verify.tsx';

/** Everything that ever happened, workspace by workspace. */
export function AuditPage(): ReactNode {
  const { snapshot } = usePanel();
  const [chosen, setChosen] = useState<WorkspaceView['id'] | null>(null);
  const workspace = snapshot.workspaces.find(({ id }) => id === chosen) ?? snapshot.workspaces[0];
  if (workspace === undefined) return <p className="empty">Nothing has happened yet.</p>;
  return (
    <>
      {snapshot.workspaces.length < 2 ? null : (
        <div className="toolbar">
          <select
            className="select"
            aria-label="Workspace"
            value={workspace.id}
            onChange={(event) => setChosen(snapshot.workspaces.find(({ id }) => id === event.target.value)?.id ?? null)}
          >
            {snapshot.workspaces.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      <AuditOf key={workspace.id} workspace={workspace} />
    </>
  );
}

const LINE_HEIGHT = 56;
/** Lines before the end at which the next page is asked for. */
const AHEAD = 40;

function AuditOf({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  const { replica } = usePanel();
  const log = useMemo(() => replica.audit(workspace.id), [replica, workspace.id]);
  const { lines, loadMore, state, trouble } = useAuditLines(log, log.size);
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (at) => lines[at]?.seq ?? at,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (state === 'more' && trouble === null && lines.length > 0 && last >= lines.length - AHEAD) loadMore();
  }, [last, lines.length, loadMore, state, trouble]);
  return (
    <>
      <div className="toolbar audit-toolbar">
        <p className="audit-size">
          <Name text={workspace.name} maxChars={64} />: {formatCount(log.size)} entries, newest first
        </p>
        <Verify log={log} />
      </div>
      <div ref={scroller} className="scroller" data-testid="audit">
        <div role="list" aria-label="Audit log" className="virtual" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index: at, key, start }) => {
            const line = lines[at];
            if (line === undefined) return null;
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={at}
                role="listitem"
                aria-posinset={at + 1}
                aria-setsize={log.size}
                className="virtual-item"
                style={{ transform: `translateY(${start}px)` }}
              >
                <AuditRow line={line} />
              </div>
            );
          })}
        </div>
        {trouble === null ? null : (
          <p className="notice notice-warn">
            ! Older entries are not here: {trouble}{' '}
            <button type="button" className="text-button" onClick={loadMore}>
              Try again
            </button>
          </p>
        )}
        <p className="audit-end">{state === 'end' ? 'This is where it began.' : ''}</p>
      </div>
    </>
  );
}

function AuditRow({ line }: { readonly line: AuditLine }): ReactNode {
  const { what, why } = auditWords(line);
  return (
    <div className="audit-line">
      <span className="audit-seq">{formatCount(line.seq)}</span>
      <span className="audit-what">
        <strong>{line.n === null ? '' : `#${line.n} `}</strong>
        <Shown text={what} maxChars={80} /> · <Name text={line.by} maxChars={80} />
        {why === null ? null : (
          <span className="audit-why">
            <Shown text={why} maxChars={400} />
          </span>
        )}
      </span>
      <time className="audit-time" dateTime={new Date(line.atMs).toISOString()}>
        {timeWords(line.atMs)}
      </time>
    </div>
  );
}
