import type { ReactNode } from 'react';
import { lookOver } from '../app/ask-for.ts';
import { usePanel } from '../app/panel-context.ts';
import { Button } from '../parts/button.tsx';
import { Name } from '../parts/shown.tsx';
import { useArmed } from '../parts/use-armed.ts';
import type { WorkspaceView } from '../../replica/types.ts';
import { counted } from '../words/counts.ts';

const MERGE = {
  kind: 'reissue',
  body: { mode: 'merge' },
  label: 'Merge all',
  means: 'Each is made anew on your files as they are, and asked again.',
} as const;
const HOLD = {
  kind: 'hold',
  label: 'Hold all',
  means: 'Each is set aside with what needs it; nothing is lost.',
} as const;

/** Everything moved under pending work at once: one question for all of it (GM-4). */
export function MovedBanner({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  const panel = usePanel();
  const { moved } = workspace;
  // What is under the finger must not become another button while it comes down.
  const armed = useArmed(String(moved?.actions.length ?? 0));
  if (moved === null) return null;
  const barred = panel.snapshot.right === 'view' ? 'This device may only read.' : null;
  return (
    <div className="banner banner-warn banner-asks" role="status">
      <span aria-hidden="true">⇄</span>
      <span>
        <Name text={workspace.name} maxChars={64} />: {moved.why} {counted(moved.actions.length, 'action')} stopped
        because of it, and what stands behind them waits. Switch back, or put the files back, and all of it goes on by
        itself. Or:
      </span>
      <Button armed={armed} barred={barred} onPress={() => lookOver(panel, { ...MERGE, ids: moved.actions })}>
        {MERGE.label}
      </Button>
      <Button armed={armed} barred={barred} onPress={() => lookOver(panel, { ...HOLD, ids: moved.actions })}>
        {HOLD.label}
      </Button>
    </div>
  );
}

/** Sessions that may soon queue nothing more (CP-1). */
export function NearlyFull({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  return workspace.sessions.flatMap(({ client, id, nearlyFull }) =>
    nearlyFull === null
      ? []
      : [
          <p key={id} className="banner banner-warn" role="status">
            <span aria-hidden="true">▮</span>
            <span>
              <Name text={client} maxChars={64} />: {nearlyFull}
            </span>
          </p>,
        ],
  );
}
