import type { ReactNode } from 'react';
import type { ActionState } from '../../model/action.ts';
import type { ActionId } from '../../model/ids.ts';
import type { SeqSet } from '../../model/ledger.ts';
import type { ActionView, WorkspaceView } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { nicknameOf } from '../words/claim-words.ts';
import { timeWords } from '../words/counts.ts';
import { levelWords } from '../words/level-words.ts';
import { Name, Shown } from '../parts/shown.tsx';

const UNDECIDED: ReadonlySet<ActionState> = new Set<ActionState>(['pending', 'approved', 'held']);

interface LineageProps {
  readonly view: ActionView;
  readonly workspace: WorkspaceView;
  readonly reversibleWhy: string | null;
}

/** Where it comes from, what it hangs on, and what would undo it. */
export function Lineage({ reversibleWhy, view, workspace }: LineageProps): ReactNode {
  const { record, waitsFor } = view;
  const session = workspace.sessions.find(({ id }) => id === record.session);
  const needed = workspace.open.filter((other) => contains(other.record.needs, record.seq));
  return (
    <dl className="facts">
      <Fact name="Proposed by">
        <Name text={session?.name ?? session?.client ?? record.session} maxChars={80} />, turn {record.turn},{' '}
        {timeWords(record.proposedAtMs)}
      </Fact>
      {session === undefined ? null : <Fact name="Its level">{levelWords(session.level)}</Fact>}
      {session === undefined || !UNDECIDED.has(record.state) ? null : (
        <Fact name="Hears of it">{session.wakes ? 'At once: its host wakes it' : 'At its next call'}</Fact>
      )}
      {record.needs.ranges.length === 0 ? null : (
        <Fact name="Needs">
          <SeqLinks set={record.needs} workspace={workspace} />
        </Fact>
      )}
      {needed.length === 0 ? null : (
        <Fact name="Needed by">
          <Links views={needed} />
        </Fact>
      )}
      {waitsFor.length === 0 ? null : (
        <Fact name="Comes after">
          <Links
            views={[...workspace.open, ...workspace.settled].filter((other) => waitsFor.includes(other.record.id))}
          />
        </Fact>
      )}
      {record.saw.ranges.length === 0 ? null : (
        <Fact name="Made after reading">
          <SeqLinks set={record.saw} workspace={workspace} />
        </Fact>
      )}
      <Fact name="Undo">
        {record.reversible ? 'Can be undone' : 'Cannot be undone'}
        {reversibleWhy === null || reversibleWhy === '' ? '' : ': '}
        {reversibleWhy === null ? null : <Shown text={reversibleWhy} maxChars={400} />}
      </Fact>
      {record.revertable === null ? null : (
        <Fact name="Revert now">
          <Shown text={record.revertable.why} maxChars={400} />
        </Fact>
      )}
      <Decided view={view} workspace={workspace} />
      <Fact name="Tool">
        <Shown text={record.tool} maxChars={120} /> · <Shown text={record.kind} maxChars={80} /> · class{' '}
        {record.effectClass}
        {record.attempts > 1 ? ` · ${record.attempts} attempts` : ''}
      </Fact>
      <Fact name="Digest">
        <code className="digest">{record.digest}</code>
      </Fact>
    </dl>
  );
}

function Decided({ view: { record }, workspace }: Pick<LineageProps, 'view' | 'workspace'>): ReactNode {
  const { by } = record;
  if (by === null) return null;
  const device = by.type === 'device' ? workspace.devices.get(by.device) : undefined;
  const who =
    by.type === 'device'
      ? `${nicknameOf(device?.nickname ?? '')}${device?.removed === true ? ' (removed)' : ''}`
      : { session: 'the agent itself', rule: 'a rule', authority: 'the runtime' }[by.type];
  return (
    <Fact name="Decided by">
      <bdi>{who}</bdi>, {timeWords(record.changedAtMs)}
      {record.reason === null ? null : (
        <>
          : <Shown text={record.reason} maxChars={1_000} />
        </>
      )}
    </Fact>
  );
}

function Fact({ children, name }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Actions named in one list; the count tells the rest. */
const LINKS_MAX = 30;

function Links({ views }: { readonly views: readonly ActionView[] }): ReactNode {
  const { dispatch } = usePanel();
  const open = (id: ActionId) => () => dispatch({ type: 'open', id });
  const more = views.length - LINKS_MAX;
  return (
    <>
      {views.slice(0, LINKS_MAX).map(({ record }) => (
        <button key={record.id} type="button" className="link" title={record.title} onClick={open(record.id)}>
          #{record.seq}
        </button>
      ))}
      {more > 0 ? ` and ${more} more` : ''}
    </>
  );
}

function SeqLinks({ set, workspace }: { readonly set: SeqSet; readonly workspace: WorkspaceView }): ReactNode {
  const known = [...workspace.open, ...workspace.settled].filter(({ record }) => contains(set, record.seq));
  const all = set.ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  const unknown = all - known.length;
  return (
    <>
      <Links views={known.toSorted((a, b) => a.record.seq - b.record.seq)} />
      {unknown > 0 ? ` ${unknown} settled long ago` : ''}
      {set.more ? ' and more' : ''}
    </>
  );
}

function contains({ ranges }: SeqSet, seq: number): boolean {
  return ranges.some(([from, to]) => from <= seq && seq <= to);
}
