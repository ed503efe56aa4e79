import type { ActionId } from '../../model/ids.ts';
import { needsYou } from '../../replica/inbox/needs-you.ts';
import type { ActionView, Claim, Snapshot, WorkspaceView } from '../../replica/types.ts';

/** An action with the workspace it lives in. */
export interface Located {
  readonly workspace: WorkspaceView;
  readonly view: ActionView;
  readonly open: boolean;
}

/** Every action of a snapshot by id; ids are random and never shared between workspaces. */
export function locate({ workspaces }: Pick<Snapshot, 'workspaces'>): ReadonlyMap<ActionId, Located> {
  const found = new Map<ActionId, Located>();
  for (const workspace of workspaces) {
    for (const view of workspace.settled) found.set(view.record.id, { workspace, view, open: false });
    for (const view of workspace.open) found.set(view.record.id, { workspace, view, open: true });
  }
  return found;
}

/** The decision that stands, of any device: nobody is asked again what somebody just answered (PN-1). */
export function standing({ claims }: ActionView): Claim | undefined {
  const newest = claims.findLast(({ state }) => state !== 'refused');
  return newest?.kind === 'retract' ? undefined : newest;
}

const BULK_STATES: ReadonlySet<string> = new Set(['pending', 'failed', 'not-applied']);

/** May it be part of a bulk gesture? What is in doubt is settled by itself; what was answered is not asked again. */
export function isTickable(view: ActionView): boolean {
  const { state } = view.record;
  return state === 'held' ? standing(view) === undefined : BULK_STATES.has(state) && needsYou(view);
}

/** Why an action is never part of a bulk approval (T3): a person looks at it by itself. */
export function ownTick({ record }: ActionView): string | null {
  if (!record.reversible) return 'Cannot be undone: decide it by itself.';
  if (!record.inspectable) return 'Cannot be inspected: decide it by itself.';
  if (record.mayHappenTwice) return 'It may happen twice: decide it by itself.';
  return null;
}
