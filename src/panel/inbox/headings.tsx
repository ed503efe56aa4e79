import type { ReactNode } from 'react';
import { formatCount } from '../../model/display.ts';
import { usePanel } from '../app/panel-context.ts';
import { Name } from '../parts/shown.tsx';
import { Tick } from '../parts/tick.tsx';
import { counted } from '../words/counts.ts';
import { levelWords } from '../words/level-words.ts';
import type { SessionItem, SetItem } from './inbox-items.ts';
import { tickableIds, tickedOf } from './selection.ts';

interface HeadingProps<Item> {
  readonly item: Item;
  readonly onTickAll: (item: Item) => void;
}

/** One run of one agent: who it is, what its gate can promise, and how much of it waits for a person. */
export function SessionHeading({ item, onTickAll }: HeadingProps<SessionItem>): ReactNode {
  const { gesturesState, index, snapshot, ui } = usePanel();
  const { needsYou, root, session } = item.session;
  const workspace = snapshot.workspaces.find(({ id }) => id === item.session.workspace);
  const ids = tickableIds(item.ids, index, gesturesState.keptBack);
  const name = session?.name ?? session?.client ?? `session ${root.slice(0, 8)}…`;
  return (
    <div className="session-heading">
      <Tick
        label={`Select everything of ${name}`}
        ticked={ids.length === 0 ? 'none' : tickedOf(ids, ui.selected)}
        disabled={ids.length === 0}
        onTick={() => onTickAll(item)}
      />
      <div className="session-words">
        <h2 className="session-name">
          <Name text={name} maxChars={80} />
        </h2>
        <p className="session-facts">
          {session === null ? null : (
            <span>
              {session.name === null ? null : (
                <>
                  <Name text={session.client} maxChars={64} /> ·{' '}
                </>
              )}
              <span title={levelWords(session.level)}>{session.level}</span>
              {session.connected ? '' : ' · ended'}
            </span>
          )}
          {snapshot.workspaces.length > 1 && workspace !== undefined ? (
            <span>
              {' · '}
              <Name text={workspace.name} maxChars={64} />
            </span>
          ) : null}
        </p>
      </div>
      <span className={needsYou > 0 ? 'need need-some' : 'need'}>
        {needsYou > 0 ? `${formatCount(needsYou)} for you` : 'nothing for you'}
      </span>
    </div>
  );
}

/** What one turn of the agent made. */
export function SetHeading({
  item,
  onThrough,
  onTickAll,
}: HeadingProps<SetItem> & { readonly onThrough: (item: SetItem) => void }): ReactNode {
  const { gesturesState, index, ui } = usePanel();
  const ids = tickableIds(item.ids, index, gesturesState.keptBack);
  return (
    <div className="set-heading">
      <Tick
        label={`Select turn ${item.turn}`}
        ticked={ids.length === 0 ? 'none' : tickedOf(ids, ui.selected)}
        disabled={ids.length === 0}
        onTick={() => onTickAll(item)}
      />
      <h3 className="set-name">
        Turn {item.turn} <span className="set-count">· {counted(item.ids.length, 'action')}</span>
      </h3>
      <button type="button" className="text-button" onClick={() => onThrough(item)}>
        Approve through here
      </button>
    </div>
  );
}
