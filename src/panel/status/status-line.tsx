import { useId, useState, type ReactNode } from 'react';
import { usePanel } from '../app/panel-context.ts';
import { Button } from '../parts/button.tsx';
import { Name, Path } from '../parts/shown.tsx';
import { doneOf, verbOf } from '../words/claim-words.ts';
import { counted, numbered, timeWords } from '../words/counts.ts';
import { levelWords } from '../words/level-words.ts';
import { StandingList } from './standing.tsx';
import { levelCounts, runtimeWords, stoppedWords, waitingWords, worstRuntime } from './status-words.ts';

/** Always in sight: is the runtime there, how old is this, what waits on this device. Opens into the whole of it. */
export function StatusLine(): ReactNode {
  const { nowMs, snapshot } = usePanel();
  const [open, setOpen] = useState(false);
  const id = useId();
  const worst = worstRuntime(snapshot.workspaces);
  const runtime = worst === undefined ? null : runtimeWords(worst, nowMs);
  const waiting = waitingWords(snapshot);
  const levels = levelCounts(snapshot.workspaces);
  const stopped = stoppedWords(snapshot.workspaces);
  return (
    <div className="status">
      <button
        type="button"
        className="status-line"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {runtime === null ? null : (
          <span className={`status-part status-${runtime.tone}`}>
            <span aria-hidden="true">{runtime.symbol}</span> {runtime.text}
          </span>
        )}
        <Link />
        {stopped === null ? null : <span className="status-part status-warn">‖ {stopped}</span>}
        {waiting === null ? null : <span className="status-part status-warn">{waiting}</span>}
        {levels.map(([level, count]) => (
          <span key={level} className="status-part">
            {count} {level}
          </span>
        ))}
        <span className="status-fold" aria-hidden="true">
          {open ? '▴' : '▾'}
        </span>
      </button>
      <div id={id} className="status-whole" hidden={!open}>
        {open ? <Whole nowMs={nowMs} /> : null}
      </div>
    </div>
  );
}

function Link(): ReactNode {
  const { snapshot } = usePanel();
  const { state } = snapshot.connection;
  const words = { online: null, connecting: '… Connecting', offline: '⊘ Offline' }[state];
  return words === null ? null : <span className="status-part status-warn">{words}</span>;
}

function Whole({ nowMs }: { readonly nowMs: number }): ReactNode {
  const { replica, snapshot } = usePanel();
  const { connection, nickname, outgoing, sending, workspaces } = snapshot;
  return (
    <>
      <ul className="status-list">
        {workspaces.map((workspace) => {
          const { symbol, text } = runtimeWords(workspace, nowMs);
          const { heartbeatAtMs } = workspace.runtime;
          return (
            <li key={workspace.id}>
              <strong>
                <Name text={workspace.name} maxChars={64} />
              </strong>{' '}
              <span aria-hidden="true">{symbol}</span> {text}
              {heartbeatAtMs === null ? '' : `. What you see is from ${timeWords(heartbeatAtMs)}`}
              {workspace.loaded === 'cache' ? ', as this device last saw it' : ''}.
              <span className="status-path">
                <Path text={workspace.root} />
              </span>
            </li>
          );
        })}
        {workspaces.map((workspace) => (
          <StandingList key={workspace.id} workspace={workspace} />
        ))}
        <li>
          This device: {nickname === null ? 'no name yet' : <Name text={nickname} maxChars={64} />}, right{' '}
          <strong>{snapshot.right}</strong>.{' '}
          {sending ? 'This window sends its decisions.' : 'Another window of this browser sends its decisions.'}
        </li>
        {levelCounts(workspaces).map(([level, count]) => (
          <li key={level}>
            {counted(count, 'session')}. {levelWords(level)}
          </li>
        ))}
        {outgoing.map(({ ids, kind, n, state, why, workspace }) => (
          <li key={`${workspace}/${n}`}>
            {state === 'refused' ? `${verbOf(kind)} refused` : doneOf(kind)}
            {ids.length === 0 ? '' : `: ${numbered(seqsOf(ids))}`}{' '}
            {state === 'refused'
              ? (why ?? '')
              : `(${state === 'sent' ? 'sent, not taken by the runtime yet' : state === 'saved' ? 'saved on this device' : 'taken by the runtime'})`}
          </li>
        ))}
      </ul>
      {connection.state === 'online' ? null : <Button onPress={() => replica.reconnect()}>Connect now</Button>}
    </>
  );

  function seqsOf(ids: readonly string[]): readonly number[] {
    return workspaces
      .flatMap(({ open, settled }) => [...open, ...settled])
      .filter(({ record }) => ids.includes(record.id))
      .map(({ record }) => record.seq);
  }
}
