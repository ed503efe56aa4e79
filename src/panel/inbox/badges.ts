import type { ActionId } from '../../model/ids.ts';
import { isDenied } from '../../replica/ledger/settled.ts';
import type { ActionView } from '../../replica/types.ts';
import { numbered } from '../words/counts.ts';
import { attentionWords } from '../words/state-words.ts';

export interface Badge {
  readonly text: string;
  readonly tone: 'warn' | 'bad' | 'plain';
}

/** What a person must not overlook of an action, in few words, the gravest first. */
export function badgesOf(
  view: ActionView,
  seqOf: (id: ActionId) => number | undefined,
  { frozen = false }: { readonly frozen?: boolean } = {},
): readonly Badge[] {
  const { card, record, waitsFor } = view;
  const waits = waitsFor.flatMap((id) => seqOf(id) ?? []);
  return [
    ...(record.attention === null ? [] : [badge(attentionWords(record.attention.kind), 'warn')]),
    ...(isDenied(record) ? [badge('Contradicts what a person said', 'bad')] : []),
    ...(record.reversible ? [] : [badge('Cannot be undone', 'bad')]),
    ...(record.inspectable ? [] : [badge('Cannot be inspected', 'bad')]),
    ...(card === 'lost' ? [badge('What it would do is lost: cannot be approved', 'bad')] : []),
    ...(card === 'coming' ? [badge('Still arriving', 'plain')] : []),
    ...(record.mayHappenTwice ? [badge('A retry may happen twice', 'bad')] : []),
    ...(record.awaitDecision ? [badge('The agent waits for this', 'warn')] : []),
    ...(frozen ? [badge('Frozen by plan mode', 'warn')] : []),
    ...(record.state === 'approved' && record.by?.type === 'rule' ? [badge('By a rule', 'plain')] : []),
    // Nobody held it itself: it waits for what it needs, and is released with that.
    ...(record.state === 'held' && record.holds.length === 0 && record.why !== null
      ? [badge(record.why, 'plain')]
      : []),
    // What is undecided waits for a person first; saying whom it stands behind would be noise on every row.
    ...(record.state === 'approved' && waits.length > 0 ? [badge(`Waits for ${numbered(waits, 3)}`, 'plain')] : []),
  ];
}

function badge(text: string, tone: Badge['tone']): Badge {
  return { text, tone };
}
