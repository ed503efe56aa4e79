import type { ActionState } from '../../src/model/action.ts';
import type { EffectClass } from '../../src/model/content.ts';
import type { ActionId } from '../../src/model/ids.ts';

/** An action, and what the world shows of it: how often it happened, and how often it was taken back. */
export interface Seen {
  readonly id: ActionId;
  readonly state: ActionState;
  readonly effectClass: EffectClass;
  readonly name: string;
  readonly effects: number;
  readonly undone: number;
}

/** What is promised about it. */
type End = Omit<Seen, 'id'>;

/** What was done to the child: killed; or lied to, by its disk below the state or below the person's files. */
export type Fate = 'killed' | 'state-fault' | 'files-fault';

/** How an approved effect may end after a crash. In doubt is an end only where nobody can know (semantics §5). */
const ENDS_AFTER_KILL: Readonly<Record<EffectClass, readonly ActionState[]>> = {
  E0: ['applied'],
  E1: ['applied'],
  E2: ['applied'],
  E3: ['applied'],
  E4: ['applied', 'in-doubt'],
};

/** A revert, too: what is in doubt about it is only what may still land (CA-3). */
const REVERTS_AFTER_KILL: Readonly<Record<EffectClass, readonly ActionState[]>> = {
  E0: ['reverted'],
  E1: ['reverted'],
  E2: ['reverted'],
  E3: ['reverted', 'revert-in-doubt'],
  E4: ['reverted', 'revert-in-doubt'],
};

/** A disk that fails under the effect itself: what surely did not happen failed, the rest is looked at by a person. */
const ENDS_AFTER_FILES_FAULT: readonly ActionState[] = ['applied', 'failed', 'in-doubt', 'not-applied'];

interface Known {
  readonly received: ReadonlySet<string>;
  /** The last state the child told of. */
  readonly last: ActionState | undefined;
  readonly fate: Fate;
}

/** What is wrong with where an action ended, given what was answered about it and what the world shows. */
export function wrongEnd(seen: End, known: Known): readonly string[] {
  const { state } = seen;
  const wrong: string[] = [];
  if (seen.effects > 1) wrong.push(`${seen.name} happened ${seen.effects} times`);
  if (!agrees(seen)) wrong.push(`${seen.name} is ${state}, and happened ${seen.effects - seen.undone} times`);
  if (!allowed(seen, known).includes(state))
    wrong.push(`${seen.name} is ${state} after ${[...known.received].join(', ') || 'no decision'}`);
  return wrong;
}

/** The state says of the world what is true. */
function agrees({ effects, state, undone }: End): boolean {
  const stands = effects - undone;
  switch (state) {
    case 'applied':
      return stands === 1;
    case 'in-doubt':
    case 'revert-in-doubt':
      return stands === 0 || stands === 1;
    // Nothing is left to move when it is looked at.
    case 'approved':
    case 'applying':
    case 'reverting':
      return false;
    default:
      return stands === 0;
  }
}

function allowed({ effectClass }: End, { fate, last, received }: Known): readonly ActionState[] {
  const applied = fate === 'files-fault' ? ENDS_AFTER_FILES_FAULT : ENDS_AFTER_KILL[effectClass];
  const reverted: readonly ActionState[] =
    fate === 'files-fault' ? ['reverted', 'revert-in-doubt', 'applied'] : REVERTS_AFTER_KILL[effectClass];
  if (received.has('reject') || last === 'rejected') return ['rejected'];
  if (received.has('revert') || last === 'reverted') return reverted;
  // A decision that was not answered may have been taken all the same: a device would send it again.
  if (last === 'applied' || received.has('approve')) return [...applied, ...reverted];
  return ['pending', 'rejected', ...applied, ...reverted];
}
