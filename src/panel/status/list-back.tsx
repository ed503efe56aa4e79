import type { ReactNode } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { lookOver } from '../app/ask-for.ts';
import { usePanel } from '../app/panel-context.ts';
import { Button } from '../parts/button.tsx';
import { Shown } from '../parts/shown.tsx';
import { useArmed } from '../parts/use-armed.ts';
import type { WorkspaceView } from '../../replica/types.ts';
import { counted } from '../words/counts.ts';
import { listsBack, type ListBack } from '../words/list-back.ts';

const REST = {
  kind: 'approve',
  body: { mode: 'rest' },
  label: 'Apply the rest in order',
  means: 'Each is applied in its turn, without asking that all of them can be. What stands in the way stays.',
} as const;

/** Lists that were given back because one in them could not be applied: which, and the other way to go on (DR-11). */
export function ListsBack({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  return listsBack(workspace.open).map((list) => <Back key={list.because} list={list} />);
}

function Back({ list: { because, ids } }: { readonly list: ListBack }): ReactNode {
  return (
    <div className="banner banner-warn banner-asks" role="status">
      <span aria-hidden="true">!</span>
      <span>
        Nothing of an approved list was applied, because of <Shown text={because} maxChars={400} />{' '}
        {counted(ids.length, 'action')} of it can still be applied.
      </span>
      <TheRest ids={ids} />
    </div>
  );
}

/** The other button for a list that does not count whole. */
export function TheRest({ ids }: { readonly ids: readonly ActionId[] }): ReactNode {
  const panel = usePanel();
  // What is under the finger must not become another button while it comes down.
  const armed = useArmed(String(ids.length));
  const { right } = panel.snapshot;
  const barred = right === 'view' || right === 'reject-only' ? 'This device may not approve.' : null;
  return (
    <Button armed={armed} barred={barred} onPress={() => lookOver(panel, { ...REST, ids })}>
      {REST.label}
    </Button>
  );
}
