import { useEffect, useState } from 'react';
import { messageOf } from '../../base/errors.ts';
import type { ActionId, WorkspaceId } from '../../model/ids.ts';
import type { Detail, Replica } from '../../replica/types.ts';

export type Steps =
  | { readonly type: 'loading' }
  | { readonly type: 'lost'; readonly why: string }
  | { readonly type: 'here'; readonly details: readonly (Detail & { readonly type: 'card' })[] };

/** The cards of the steps of one row. `version` changes when they must be asked for again. */
export function useSteps(replica: Replica, workspace: WorkspaceId, ids: readonly ActionId[], version: string): Steps {
  const key = `${workspace} ${ids.join()} ${version}`;
  const [steps, setSteps] = useState<{ readonly key: string; readonly steps: Steps }>({ key: '', steps: LOADING });
  useEffect(() => {
    let current = true;
    load(replica, workspace, ids).then(
      (found) => current && setSteps({ key, steps: found }),
      // Whatever went wrong, a person sees that it is not here and why.
      (cause: unknown) => current && setSteps({ key, steps: { type: 'lost', why: messageOf(cause) } }),
    );
    return () => {
      current = false;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- reason: `key` stands for workspace, ids and version
  }, [key, replica]);
  return steps.key === key ? steps.steps : LOADING;
}

const LOADING: Steps = { type: 'loading' };

async function load(replica: Replica, workspace: WorkspaceId, ids: readonly ActionId[]): Promise<Steps> {
  const details = await Promise.all(ids.map((id) => replica.detail(workspace, id)));
  const cards: (Detail & { readonly type: 'card' })[] = [];
  for (const detail of details) {
    if (detail.type === 'lost') return { type: 'lost', why: detail.why };
    cards.push(detail);
  }
  return { type: 'here', details: cards };
}
