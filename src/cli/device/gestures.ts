import type { ActionDetail } from '../../model/owner-port.ts';
import type { JsonObject } from '../../base/canonical-json.ts';
import type { DecisionItem, ItemKind } from '../../model/decision.ts';
import type { QueueRow } from '../../model/owner-port.ts';
import type { Digest } from '../../model/ids.ts';

/** What a person asked for with one command, as the decision's kind and what it needs beyond its items. */
export interface Asked {
  readonly kind: ItemKind;
  readonly body?: JsonObject;
  readonly note?: string;
}

/** An action as it stands before the person, bound by its digest and, where one was raised, its attention (DC-1, DC-12). */
export function itemOf(row: QueueRow): DecisionItem {
  const { id, digest, attention } = row;
  return attention === null ? { id, digest } : { id, digest, attention: attention.entry };
}

/** The hold decisions a release of these actions lifts (DC-3). */
export function holdsOf(details: readonly ActionDetail[]): readonly Digest[] {
  return [...new Set(details.flatMap(({ holds }) => holds.map(({ hash }) => hash)))];
}

/** The attempt a person settles; `undefined` when the action is neither in doubt nor denied by late evidence (EF-6). */
export function attemptInDoubt({ action }: ActionDetail): number | undefined {
  if (action.state === 'applied' && action.contradicted) return action.attempts;
  return action.state === 'in-doubt' || action.state === 'revert-in-doubt' ? action.intent.attempt : undefined;
}

/** Several at once count whole or not at all, unless the person asks for what can be (DR-11). */
export function approve(options: { readonly whole: boolean }): Asked {
  return { kind: 'approve', body: { mode: options.whole ? 'all-or-none' : 'rest' } };
}

export function reject(reason: string | undefined): Asked {
  return { kind: 'reject', ...(reason === undefined ? {} : { note: reason }) };
}

export function change(say: string): Asked {
  return { kind: 'change', body: { say, remarks: [] } };
}

export function retry(options: { readonly mayHappenTwice: boolean }): Asked {
  return { kind: 'retry', ...(options.mayHappenTwice ? { body: { mayHappenTwice: true } } : {}) };
}

/** Without its attempt, which is read from the action when the person has pointed at it. */
export function settle(answer: 'happened' | 'did-not'): Asked {
  return { kind: 'settle', body: { answer } };
}

/** The exits of a conflict (GM-2): keep the ground, take the agent's bytes, or let the agent look at both. */
export const RESOLVE = {
  mine: { kind: 'reject', body: { because: 'user-edited' } },
  theirs: { kind: 'reissue', body: { mode: 'theirs' } },
  ask: {
    kind: 'change',
    body: {
      say: 'The file changed on disk since you proposed this. Read it again and propose a change that fits what is there now.',
      remarks: [],
    },
  },
} as const satisfies Record<'mine' | 'theirs' | 'ask', Asked>;

/** Makes what everything moved under anew, on the files as they are (GM-4). */
export const MERGE = { merge: { kind: 'reissue', body: { mode: 'merge' } } } as const satisfies Record<'merge', Asked>;
