import type { ReactNode } from 'react';
import { assert } from '../../base/assert.ts';
import type { ActionView } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { Shown } from '../parts/shown.tsx';
import { StateMark } from '../parts/state-mark.tsx';
import { isFrozen } from '../status/plan.ts';
import { Tick } from '../parts/tick.tsx';
import { ageWords, agoWords, numbered } from '../words/counts.ts';
import { badgesOf } from './badges.ts';
import { ClaimLines } from './claim-lines.tsx';
import { GraceLine } from './grace-line.tsx';
import type { RowItem } from './inbox-items.ts';
import { tickableIds, tickedOf } from './selection.ts';

interface RowProps {
  readonly item: RowItem;
  readonly onTick: (item: RowItem, range: boolean) => void;
  readonly onMenu: (item: RowItem) => void;
}

/** One target: what will happen to it, how it stands, and what must not be overlooked. */
export function Row({ item, onMenu, onTick }: RowProps): ReactNode {
  const { dispatch, gesturesState, index, ui } = usePanel();
  const lead = leadOf(item.row.steps);
  const ids = tickableIds(item.ids, index, gesturesState.keptBack);
  const ticked = tickedOf(ids, ui.selected);
  const isOpen = ui.opened !== null && item.ids.includes(ui.opened);
  const [first = lead] = item.row.steps;
  const { seq } = first.record;
  return (
    <div
      className="row"
      data-open={isOpen || undefined}
      data-cursor={ui.cursor === item.key || undefined}
      data-ticked={ticked !== 'none' || undefined}
    >
      <Tick
        label={`Select #${seq}`}
        ticked={ids.length === 0 ? 'none' : ticked}
        disabled={ids.length === 0}
        onTick={(range) => onTick(item, range)}
      />
      <button
        type="button"
        className="row-main"
        data-key={item.key}
        aria-current={isOpen || undefined}
        onFocus={() => dispatch({ type: 'cursor', id: item.key })}
        onClick={() => dispatch({ type: 'open', id: item.key })}
      >
        <span className="row-title">
          <span className="seq">
            {numbered(
              item.row.steps.map(({ record }) => record.seq),
              3,
            )}
          </span>{' '}
          <Shown text={lead.record.title} maxChars={240} />
        </span>
        <RowMeta item={item} lead={lead} />
        <ClaimLines view={lead} />
      </button>
      <GraceLine view={lead} />
      <button
        type="button"
        className="icon-button row-more"
        aria-label={`More for #${seq}`}
        onClick={() => onMenu(item)}
      >
        ⋯
      </button>
    </div>
  );
}

function RowMeta({ item, lead }: { readonly item: RowItem; readonly lead: ActionView }): ReactNode {
  const { index, nowMs } = usePanel();
  const { straddles, steps } = item.row;
  const { record } = lead;
  const workspace = index.get(record.id)?.workspace;
  const frozen = workspace !== undefined && isFrozen(workspace, lead);
  const badges = badgesOf(lead, (id) => index.get(id)?.view.record.seq, { frozen });
  return (
    <span className="row-meta">
      <StateMark state={record.state} />
      <span className="age">
        <span aria-hidden="true">{ageWords(record.proposedAtMs, nowMs)}</span>
        <span className="hidden-text">{agoWords(record.proposedAtMs, nowMs)}</span>
      </span>
      {steps.length === 1 ? null : (
        <span className="badge badge-plain">
          {steps.length} steps{straddles.length > 0 ? ', others between' : ''}
        </span>
      )}
      {badges.map(({ text, tone }) => (
        <span key={text} className={`badge badge-${tone}`}>
          {tone === 'plain' ? '' : '! '}
          {text}
        </span>
      ))}
    </span>
  );
}

/** The step that speaks for the row: the first that is not as far as the others, else the newest. */
export function leadOf(steps: readonly ActionView[]): ActionView {
  const lead =
    steps.find(({ record }) => record.attention !== null || record.state === 'in-doubt' || record.state === 'failed') ??
    steps.find(({ card, record }) => card !== 'here' && record.state === 'pending') ??
    steps.findLast(({ record }) => record.state === 'pending') ??
    steps.at(-1);
  assert(lead !== undefined, 'a row has a step');
  return lead;
}
