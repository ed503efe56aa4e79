import type { ItemKind, Right } from '../../model/decision.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import type { ActionView } from '../../replica/types.ts';
import { standing } from '../inbox/located.ts';
import { ANYWAY_MEANS } from '../status/plan.ts';

/** One thing a person may do with an action as it is now. */
export interface Exit {
  readonly kind: ItemKind;
  readonly label: string;
  /** What comes of it, where the label leaves that open. */
  readonly means?: string;
  readonly body?: JsonObject;
  /** `main` is what most people want here; `risky` cannot be taken back or stops something for good. */
  readonly weight: 'main' | 'plain' | 'risky';
  /** Why this device may not; `null` when it may. */
  readonly barred: string | null;
}

/** To the agent, when its change and the person's meet in the same place. */
const ASK_ABOUT_CONFLICT =
  'The file changed on disk since you proposed this. Read it again and propose a change that fits what is there now.';

type Draft = Omit<Exit, 'barred'>;

/** DR-8: by name, and in its order. */
const ANYWAY: Draft = { kind: 'anyway', label: 'Apply this anyway', means: ANYWAY_MEANS, weight: 'plain' };

const APPROVE: Draft = { kind: 'approve', label: 'Approve', weight: 'main' };
const REJECT: Draft = { kind: 'reject', label: 'Reject', weight: 'risky' };
const CHANGE: Draft = { kind: 'change', label: 'Ask for a change', weight: 'plain' };
const HOLD: Draft = { kind: 'hold', label: 'Hold', weight: 'plain' };
const CONFLICT: readonly Draft[] = [
  {
    kind: 'reject',
    label: 'Keep mine',
    means: 'The file stays as it is now. The agent is told that its change was set aside.',
    body: { because: 'user-edited' },
    weight: 'plain',
  },
  {
    kind: 'reissue',
    label: 'Take the agent’s',
    means:
      'The agent’s version is put over the file as it is now. You see that difference, and decide on it before anything is written.',
    body: { mode: 'theirs' },
    weight: 'plain',
  },
  {
    kind: 'change',
    label: 'Ask the agent',
    means: 'The agent is told that the file has changed, and is asked to propose again.',
    body: { say: ASK_ABOUT_CONFLICT, remarks: [] },
    weight: 'main',
  },
];

/** Everything that may be done with it now, the likeliest first. `frozen`: plan mode keeps it from beginning. */
export function exitsOf(
  view: ActionView,
  right: Right,
  { frozen = false }: { readonly frozen?: boolean } = {},
): readonly Exit[] {
  return [...(frozen ? [ANYWAY] : []), ...draftsOf(view)].map((draft) => ({
    ...draft,
    barred: barredBy(draft.kind, view, right),
  }));
}

function draftsOf(view: ActionView): readonly Draft[] {
  const { record } = view;
  const undo = undoOf(view);
  if (undo !== null) return [undo, ...(record.state === 'pending' ? [REJECT] : [])];
  switch (record.state) {
    case 'pending':
      if (record.attention?.kind === 'conflict') return CONFLICT;
      return [record.mayHappenTwice ? retryOf(view) : APPROVE, REJECT, CHANGE, HOLD];
    case 'approved':
      return [{ kind: 'retract', label: 'Undo approve', weight: 'plain' }, REJECT, HOLD];
    case 'held':
      return [{ kind: 'release', label: 'Release', weight: 'main' }, REJECT, CHANGE];
    case 'failed':
    case 'not-applied':
      return [retryOf(view), REJECT];
    case 'in-doubt':
      return settleOf('It');
    case 'revert-in-doubt':
      return settleOf('The revert');
    case 'applied':
      return [...(record.contradicted ? [ACKNOWLEDGE] : []), ...(record.revertable?.feasible === true ? [REVERT] : [])];
    case 'rejected':
      return [{ kind: 'reconsider', label: 'Let it be asked again', weight: 'plain' }];
    case 'applying':
    case 'reverting':
    case 'reverted':
      return [];
  }
}

const UNDECIDED: ReadonlySet<string> = new Set(['pending', 'approved', 'held']);

/** DC-11: an own approve or hold may be taken back until its effect begins. */
function undoOf(view: ActionView): Draft | null {
  if (!UNDECIDED.has(view.record.state)) return null;
  const own = standing(view);
  if (own?.own !== true) return null;
  if (own.kind === 'approve') return { kind: 'retract', label: 'Undo approve', weight: 'plain' };
  return own.kind === 'hold' ? { kind: 'retract', label: 'Undo hold', weight: 'plain' } : null;
}

function retryOf({ record }: ActionView): Draft {
  return record.mayHappenTwice
    ? { kind: 'retry', label: 'Retry (may happen twice)', body: { mayHappenTwice: true }, weight: 'risky' }
    : { kind: 'retry', label: 'Retry', weight: 'main' };
}

const REVERT: Draft = { kind: 'revert', label: 'Revert', weight: 'plain' };

/** EF-6: it happened against what a person had said, and a person lets it stand. */
const ACKNOWLEDGE: Draft = {
  kind: 'settle',
  label: 'It happened, go on',
  means: 'What waits behind it goes on.',
  body: { answer: 'happened' },
  weight: 'main',
};

/** The replica names the attempt that is in doubt. */
function settleOf(subject: string): readonly Draft[] {
  return [
    { kind: 'settle', label: `${subject} happened`, body: { answer: 'happened' }, weight: 'plain' },
    { kind: 'settle', label: `${subject} did not happen`, body: { answer: 'did-not' }, weight: 'plain' },
  ];
}

const ALWAYS_STOPS: ReadonlySet<ItemKind> = new Set<ItemKind>(['reject', 'change', 'hold', 'retract']);

/** The runtime has the last word on rights; this keeps what cannot succeed from being offered as if it could. */
function barredBy(kind: ItemKind, { card, record }: ActionView, right: Right): string | null {
  if (right === 'view') return 'This device may only look.';
  if (ALWAYS_STOPS.has(kind)) return null;
  if (right === 'reject-only') return 'This device may only reject, hold and ask for changes.';
  if (kind === 'anyway' && right !== 'approve-all') return 'Only a device with every right lets it begin in plan mode.';
  if (kind === 'approve' && card === 'lost') return 'What it would do is not here, so it cannot be approved.';
  if (kind === 'approve' && card === 'coming') return 'What it would do has not arrived yet.';
  if (right === 'approve-reversible' && !record.reversible)
    return 'It cannot be undone, and this device may only approve what can be undone.';
  return null;
}
