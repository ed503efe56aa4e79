import { useState, type ReactNode } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { givenBackBecause } from '../../model/list-back.ts';
import { usePanel } from '../app/panel-context.ts';
import { Name } from '../parts/shown.tsx';
import type { Located } from '../inbox/located.ts';
import { verbOf } from '../words/claim-words.ts';
import { isLeft } from '../words/list-back.ts';
import { counted } from '../words/counts.ts';
import { ListsBack, TheRest } from './list-back.tsx';
import { MovedBanner, NearlyFull } from './moved-banner.tsx';
import { StandingBanners } from './standing.tsx';
import { quarantineWords } from './status-words.ts';

/** What must be read before anything is decided: alarms, refusals, what this device cannot promise. */
export function Banners(): ReactNode {
  const { index, snapshot } = usePanel();
  const [dismissed, setDismissed] = useState<ReadonlySet<string>>(new Set());
  const dismiss = (key: string) => () => setDismissed((before) => new Set(before).add(key));
  const refused = snapshot.outgoing.filter(
    ({ n, state, workspace }) => state === 'refused' && !dismissed.has(`${workspace}/${n}`),
  );
  const [first] = refused;
  const isListBack = givenBackBecause(first?.why ?? null) !== null;
  const rest = isListBack ? (first?.ids ?? []).filter((id) => isLeftIn(index, id)) : [];
  const removed = snapshot.alarms.some(({ kind }) => kind === 'revoked');
  return (
    <div className="banners">
      {snapshot.alarms.map((alarm) => (
        <p key={`${alarm.kind} ${alarm.workspace ?? ''}`} className="banner banner-bad" role="alert">
          <span aria-hidden="true">!</span>
          <span>{alarm.sentence}</span>
        </p>
      ))}
      {snapshot.workspaces.flatMap((workspace) => {
        const why = quarantineWords(workspace) ?? workspace.trouble;
        return why === null || removed
          ? []
          : [
              <p key={workspace.id} className="banner banner-bad" role="alert">
                <span aria-hidden="true">!</span>
                <span>
                  <Name text={workspace.name} maxChars={64} />: {why}
                </span>
              </p>,
            ];
      })}
      {removed
        ? null
        : snapshot.workspaces.flatMap((workspace) => [
            <MovedBanner key={`moved ${workspace.id}`} workspace={workspace} />,
            <ListsBack key={`lists ${workspace.id}`} workspace={workspace} />,
            <NearlyFull key={`full ${workspace.id}`} workspace={workspace} />,
          ])}
      {first === undefined ? null : (
        <p className="banner banner-warn" role="alert">
          <span aria-hidden="true">!</span>
          <span>
            {verbOf(first.kind)}
            {first.ids.length === 0 ? '' : ` of ${counted(first.ids.length, 'action')}`} was refused:{' '}
            {first.why ?? 'no reason was given'}
            {refused.length > 1 ? ` And ${refused.length - 1} more, listed in the status line.` : ''}
          </span>
          {rest.length === 0 ? null : <TheRest ids={rest} />}
          <button type="button" className="text-button" onClick={dismiss(`${first.workspace}/${first.n}`)}>
            Seen
          </button>
        </p>
      )}
      <StandingBanners />
      <Connection />
      {snapshot.volatile === null || dismissed.has('volatile') ? null : (
        <p className="banner banner-warn">
          <span aria-hidden="true">!</span>
          <span>{snapshot.volatile}</span>
          <button type="button" className="text-button" onClick={dismiss('volatile')}>
            Seen
          </button>
        </p>
      )}
    </div>
  );
}

function isLeftIn(index: ReadonlyMap<ActionId, Located>, id: ActionId): boolean {
  const view = index.get(id)?.view;
  return view !== undefined && isLeft(view);
}

function Connection(): ReactNode {
  const { replica, snapshot } = usePanel();
  const { state, trouble } = snapshot.connection;
  // A removed device is turned away everywhere; that it was removed says all of it.
  if (snapshot.alarms.some(({ kind }) => kind === 'revoked')) return null;
  if (state === 'online' && trouble === null) return null;
  if (state === 'connecting' && trouble === null) return null;
  return (
    <p className="banner banner-warn" role="status">
      <span aria-hidden="true">⊘</span>
      <span>
        {trouble === null ? '' : `${trouble.sentence} `}
        {state === 'offline' ? 'What was seen stays readable, and what you decide goes out by itself later.' : ''}
      </span>
      <button type="button" className="text-button" onClick={() => replica.reconnect()}>
        Connect now
      </button>
    </p>
  );
}
