import type { ActionId, SessionId } from '../../model/ids.ts';
import type { ActionView, WorkspaceView } from '../../replica/types.ts';
import { standing as stands } from '../inbox/located.ts';

/** Does an agent of this root session plan only? By a person's switch, or by the program it runs in (DR-8). */
function isPlanning({ standing }: Pick<WorkspaceView, 'standing'>, root: SessionId): boolean {
  return standing !== null && (standing.mode === 'plan' || standing.hostPlans.includes(root));
}

/** Approved, and kept from beginning by plan mode alone, as far as this device can know. */
export function isFrozen(workspace: Pick<WorkspaceView, 'standing'>, view: ActionView): boolean {
  const { root, state } = view.record;
  return state === 'approved' && isPlanning(workspace, root) && stands(view)?.kind !== 'anyway';
}

/** What a person may let through by name, in the order of places. */
export function frozenIn(workspace: WorkspaceView): readonly ActionId[] {
  return workspace.open.filter((view) => isFrozen(workspace, view)).map(({ record }) => record.id);
}

export const ANYWAY_MEANS =
  'Plan mode stays on. Only what is named here is applied, in its order: what stands behind something that stays frozen waits for it.';
