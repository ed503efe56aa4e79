import { useCallback, useEffect, useMemo, useReducer, useSyncExternalStore, type ReactNode } from 'react';
import { formatCount } from '../../model/display.ts';
import type { Replica } from '../../replica/types.ts';
import { AppliedList } from '../applied/applied-list.tsx';
import { AuditPage } from '../audit/audit-list.tsx';
import { DetailPane } from '../detail/detail-pane.tsx';
import type { Differ } from '../detail/differ.ts';
import { DecideSheet } from '../inbox/decide-sheet.tsx';
import { InboxPage } from '../inbox/inbox-page.tsx';
import { locate } from '../inbox/located.ts';
import { leaving } from '../inbox/selection.ts';
import { RuleSheet } from '../rule/rule-sheet.tsx';
import { Banners } from '../status/banners.tsx';
import { Outcomes } from '../status/outcomes.tsx';
import { StatusLine } from '../status/status-line.tsx';
import type { Gestures } from './gestures.ts';
import { Help } from './help.tsx';
import { rowAround } from './opened-row.ts';
import { PanelContext, useNow, usePanel, type Panel } from './panel-context.ts';
import { FIRST_UI, stepUi, type Page } from './ui-state.ts';
import { useInbox, type InboxView } from './use-inbox.ts';

interface AppProps {
  readonly replica: Replica;
  readonly gestures: Gestures;
  readonly differ: Differ;
}

/** The whole panel over one replica. */
export function App({ differ, gestures, replica }: AppProps): ReactNode {
  // A replica is an object with a life of its own: its methods are called on it.
  const subscribe = useCallback((listener: () => void) => replica.subscribe(listener), [replica]);
  const snapshot = useSyncExternalStore(subscribe, () => replica.snapshot());
  const gesturesState = useSyncExternalStore(gestures.subscribe, gestures.snapshot);
  const [ui, dispatch] = useReducer(stepUi, FIRST_UI);
  const nowMs = useNow();
  const index = useMemo(() => locate(snapshot), [snapshot]);
  const panel = useMemo(
    (): Panel => ({ replica, differ, snapshot, index, gestures, gesturesState, ui, dispatch, nowMs }),
    [replica, differ, snapshot, index, gestures, gesturesState, ui, nowMs],
  );
  return (
    <PanelContext value={panel}>
      <Frame />
    </PanelContext>
  );
}

function Frame(): ReactNode {
  const { dispatch, snapshot, ui } = usePanel();
  const view = useInbox();
  useLeaving();
  useTitle(view.inbox.needsYou);
  return (
    <div className="panel" data-page={ui.page} data-detail={ui.opened === null ? undefined : ''}>
      <header className="top">
        <Tabs needsYou={view.inbox.needsYou} />
        <StatusLine />
      </header>
      <Banners />
      <main className="main">
        <div className="list-pane">
          {ui.page === 'inbox' ? <InboxPage view={view} /> : null}
          {ui.page === 'applied' ? <AppliedList /> : null}
          {ui.page === 'audit' ? <AuditPage /> : null}
        </div>
        {ui.page === 'audit' ? null : <DetailSide view={view} />}
      </main>
      <Outcomes />
      {ui.sheet === null ? null : <DecideSheet gesture={ui.sheet} />}
      <RuleFrom />
      {ui.help ? <Help onClose={() => dispatch({ type: 'help', open: false })} /> : null}
      <p className="hidden-text" role="status">
        {snapshot.connection.state === 'online' ? '' : `Connection: ${snapshot.connection.state}`}
      </p>
    </div>
  );
}

function RuleFrom(): ReactNode {
  const { index, ui } = usePanel();
  const located = ui.ruleFrom === null ? undefined : index.get(ui.ruleFrom);
  return located === undefined ? null : <RuleSheet key={ui.ruleFrom} located={located} />;
}

const CHOOSE: Readonly<Record<Page, string>> = {
  inbox: 'Choose a row to see what it would do.',
  applied: 'Choose a row to see what it did.',
  audit: '',
};

function DetailSide({ view }: { readonly view: InboxView }): ReactNode {
  const { index, ui } = usePanel();
  const located = ui.opened === null ? undefined : index.get(ui.opened);
  if (located === undefined || ui.opened === null)
    return (
      <div className="detail-pane detail-none">
        <p>{ui.opened === null ? CHOOSE[ui.page] : 'It is not in the queue any more.'}</p>
      </div>
    );
  return (
    <div className="detail-pane">
      <DetailPane key={ui.opened} located={located} row={rowAround(ui.opened, located, view.inbox)} />
    </div>
  );
}

const PAGES: readonly (readonly [page: Page, words: string])[] = [
  ['inbox', 'Inbox'],
  ['applied', 'Applied'],
  ['audit', 'Audit'],
];

function Tabs({ needsYou }: { readonly needsYou: number }): ReactNode {
  const { dispatch, ui } = usePanel();
  return (
    <nav className="tabs" aria-label="Pages">
      {PAGES.map(([page, words]) => (
        <button
          key={page}
          type="button"
          className="tab"
          aria-current={ui.page === page ? 'page' : undefined}
          onClick={() => dispatch({ type: 'page', page })}
        >
          {words}
          {page === 'inbox' && needsYou > 0 ? (
            <span className="tab-count">
              {formatCount(needsYou)}
              <span className="hidden-text"> need you</span>
            </span>
          ) : null}
        </button>
      ))}
      <button
        type="button"
        className="icon-button help-button"
        aria-label="Keys"
        aria-keyshortcuts="?"
        onClick={() => dispatch({ type: 'help', open: true })}
      >
        ?
      </button>
    </nav>
  );
}

/** PN-4: what was settled or answered elsewhere leaves the selection, and the person reads who did it. */
function useLeaving(): void {
  const { dispatch, gestures, index, ui } = usePanel();
  useEffect(() => {
    const gone = leaving(ui.selected, index);
    const [first] = gone;
    if (first === undefined) return;
    dispatch({ type: 'leave', ids: gone.map(({ id }) => id) });
    const more = gone.length > 1 ? ` And ${gone.length - 1} more.` : '';
    gestures.say(`No longer selected. ${first.sentence}${more}`);
  }, [dispatch, gestures, index, ui.selected]);
}

function useTitle(needsYou: number): void {
  useEffect(() => {
    document.title = needsYou === 0 ? 'Countersign' : `(${formatCount(needsYou)}) Countersign`;
  }, [needsYou]);
}
