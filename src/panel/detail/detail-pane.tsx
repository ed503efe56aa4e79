import { useMemo, useRef, type ReactNode, type RefObject } from 'react';
import type { ShownField } from '../../model/card.ts';
import { usePanel } from '../app/panel-context.ts';
import { ClaimLines } from '../inbox/claim-lines.tsx';
import type { InboxRow } from '../../replica/inbox/rows.ts';
import type { Located } from '../inbox/located.ts';
import { leadOf } from '../inbox/row.tsx';
import { decidedBy } from '../inbox/selection.ts';
import { Flags, Shown } from '../parts/shown.tsx';
import { numbered } from '../words/counts.ts';
import { StateMark } from '../parts/state-mark.tsx';
import { useWide } from '../parts/use-wide.ts';
import { RuledBy } from '../rule/ruled-by.tsx';
import { DetailActions } from './detail-actions.tsx';
import { DiffList } from './diff-list.tsx';
import { Fields } from './fields.tsx';
import { fileChangesOf, useFileDiffs } from './file-diffs.ts';
import { Life } from './life.tsx';
import { Lineage } from './lineage.tsx';
import type { NetChange } from './net-changes.ts';
import { StepList } from './step-list.tsx';
import { useSteps, type Steps } from './use-steps.ts';
import { Warnings } from './warnings.tsx';

interface DetailPaneProps {
  readonly located: Located;
  readonly row: InboxRow;
}

/** Everything a person may want to know of one row before deciding on it. */
export function DetailPane({ located, row }: DetailPaneProps): ReactNode {
  const { dispatch, replica } = usePanel();
  const scroller = useRef<HTMLDivElement>(null);
  const lead = leadOf(row.steps);
  const { record } = lead;
  const ids = row.steps.map(({ record: step }) => step.id);
  const version = row.steps.map(({ card, record: step }) => `${step.digest}${card}`).join();
  const steps = useSteps(replica, located.workspace.id, ids, version);
  const last = steps.type === 'here' ? steps.details.at(-1) : undefined;
  return (
    <section className="detail" aria-label={`Details of #${record.seq}`} data-testid="detail">
      <header className="detail-head">
        <button
          type="button"
          className="icon-button back"
          aria-label="Back to the list"
          onClick={() => dispatch({ type: 'close' })}
        >
          ‹
        </button>
        <div className="detail-title">
          <p className="detail-state">
            <span className="seq">{numbered(row.steps.map(({ record: step }) => step.seq))}</span>{' '}
            <StateMark state={record.state} />
            {located.open ? null : <span className="detail-by">{decidedBy(located)}</span>}
          </p>
          <h2 tabIndex={-1} data-detail-title>
            {last === undefined ? (
              <Shown text={record.title} />
            ) : (
              <bdi>{row.steps.length === 1 ? last.card.title : record.title}</bdi>
            )}
            {last === undefined ? null : <Flags flags={last.card.flags} />}
          </h2>
        </div>
      </header>
      <div ref={scroller} className="scroller detail-scroller" tabIndex={0} aria-label="Details" role="region">
        <div className="detail-card">
          <Life view={lead} />
          <ClaimLines view={lead} told={(claim) => !claim.own || claim.state === 'refused'} />
          <RuledBy located={{ ...located, view: lead }} />
          <Warnings view={lead} straddles={row.straddles.length > 0} />
          <Body steps={steps} coming={row.steps.some(({ card }) => card === 'coming')} />
          {row.steps.length > 1 ? <StepList steps={row.steps} /> : null}
        </div>
        <Diffs steps={steps} scroller={scroller} />
        <Lineage view={lead} workspace={located.workspace} reversibleWhy={last?.reversibleWhy ?? null} />
      </div>
      <DetailActions row={row} layout={`${record.digest}${record.rev}${steps.type}`} />
    </section>
  );
}

const DIFF_FIELDS: ReadonlySet<ShownField['kind']> = new Set<ShownField['kind']>(['diff']);
const NO_FIELDS: ReadonlySet<ShownField['kind']> = new Set();

function Body({ coming, steps }: { readonly coming: boolean; readonly steps: Steps }): ReactNode {
  const changes = useMemo(() => (steps.type === 'here' ? fileChangesOf(steps.details) : null), [steps]);
  if (steps.type === 'loading' || (steps.type === 'lost' && coming))
    return <p className="notice">Fetching what it would do…</p>;
  if (steps.type === 'lost')
    return <p className="notice notice-bad">What it would do is not here, so it cannot be approved: {steps.why}</p>;
  const last = steps.details.at(-1);
  if (last === undefined) return null;
  return (
    <>
      {typeof changes === 'string' ? <p className="notice notice-warn">{changes}</p> : null}
      {/* One path in one difference says all that the card's lines say. */}
      {Array.isArray(changes) ? (
        changes.length === 1 && changes.some(({ after, before }) => (after ?? before)?.type === 'file') ? null : (
          <Fields card={last.card} without={DIFF_FIELDS} />
        )
      ) : (
        <Fields card={last.card} without={NO_FIELDS} />
      )}
    </>
  );
}

interface DiffsProps {
  readonly steps: Steps;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

const NONE: readonly NetChange[] = [];

function Diffs({ scroller, steps }: DiffsProps): ReactNode {
  const { differ } = usePanel();
  const wide = useWide(scroller);
  const details = useMemo(() => (steps.type === 'here' ? steps.details : []), [steps]);
  const changes = useMemo(() => {
    const found = details.length === 0 ? null : fileChangesOf(details);
    return Array.isArray(found) ? found : NONE;
  }, [details]);
  const files = useFileDiffs(changes, details, differ);
  if (files.length === 0) return null;
  return <DiffList files={files} layout={wide ? 'split' : 'unified'} scroller={scroller} />;
}
