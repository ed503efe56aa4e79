import { useEffect, useMemo, useState } from 'react';
import { CountersignError } from '../../base/errors.ts';
import type { ActionContent } from '../../model/content.ts';
import type { ActionId } from '../../model/ids.ts';
import type { Replica } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import type { Located } from '../inbox/located.ts';
import type { Candidate } from './rule-reach.ts';

/** Queued actions that a new rule is held against before it is signed. */
const LOOKED_AT_MAX = 50;

export interface Candidates {
  readonly all: readonly Candidate[];
  /** Not all that they would do has been looked at yet. */
  readonly loading: boolean;
  /** More of this kind are queued than were looked at. */
  readonly more: number;
}

/** What is queued of this action's kind, itself first. The list is fixed when the sheet opens (PN-5). */
export function useCandidates(located: Located): Candidates {
  const { index, replica } = usePanel();
  const [queued] = useState(() => queuedOf(located));
  const [contents, setContents] = useState<ReadonlyMap<ActionId, ActionContent | undefined> | null>(null);
  const workspace = located.workspace.id;
  useEffect(() => {
    let gone = false;
    const look = async (): Promise<void> => {
      const looked = queued.slice(0, LOOKED_AT_MAX);
      const found = await Promise.all(looked.map(async (id) => [id, await contentOf(replica, workspace, id)] as const));
      if (!gone) setContents(new Map(found));
    };
    void look();
    return () => {
      gone = true;
    };
  }, [queued, replica, workspace]);
  const all = useMemo(
    () =>
      [...(contents ?? [])].flatMap(([id, content]) => {
        const view = index.get(id)?.view;
        return view === undefined ? [] : [{ view, content }];
      }),
    [contents, index],
  );
  return { all, loading: contents === null, more: Math.max(0, queued.length - LOOKED_AT_MAX) };
}

function queuedOf({ view, workspace }: Located): readonly ActionId[] {
  const { id, kind } = view.record;
  const others = workspace.open.filter(({ record }) => record.kind === kind && record.state === 'pending');
  return [id, ...others.map(({ record }) => record.id).filter((other) => other !== id)];
}

async function contentOf(
  replica: Replica,
  workspace: Located['workspace']['id'],
  id: ActionId,
): Promise<ActionContent | undefined> {
  try {
    const detail = await replica.detail(workspace, id);
    return detail.type === 'card' ? detail.content : undefined;
  } catch (thrown) {
    // Settled meanwhile, or the relay cannot be reached: the list says that nobody can tell.
    if (!CountersignError.is(thrown)) throw thrown;
    return undefined;
  }
}
