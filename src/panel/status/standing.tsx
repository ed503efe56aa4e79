import { useState, type ReactNode } from 'react';
import { CountersignError } from '../../base/errors.ts';
import type { LedgerActor, LedgerRule } from '../../model/ledger.ts';
import type { Setting, WorkspaceView } from '../../replica/types.ts';
import { usePanel } from '../app/panel-context.ts';
import { Button } from '../parts/button.tsx';
import { nicknameOf } from '../words/claim-words.ts';

/** What somebody has set for everything that waits: said before the list it rules over. */
export function StandingBanners(): ReactNode {
  const { snapshot } = usePanel();
  return snapshot.workspaces.map((workspace) => <Standing key={workspace.id} workspace={workspace} />);
}

function Standing({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  const { snapshot } = usePanel();
  const [set, trouble] = useSetting();
  const { id, standing } = workspace;
  const barred = snapshot.right === 'approve-all' ? null : 'This device may stop things, and not let them go on.';
  if (standing === null) return null;
  const lines = [
    ...(standing.mode === 'plan'
      ? [
          {
            key: 'plan',
            text: `Plan mode, set by ${who(workspace, standing.modeBy)}: nothing is queued, nothing begins.`,
          },
        ]
      : []),
    ...standing.pauses.map(({ by, session }) => ({
      key: session ?? 'all',
      text: `${session === null ? 'Paused' : 'A session is paused'} by ${who(workspace, by)}.`,
    })),
  ];
  const goOn = (key: string): Setting => {
    if (key === 'plan') return { workspace: id, kind: 'mode', mode: 'act' };
    const session = standing.pauses.find((pause) => pause.session === key)?.session ?? null;
    return { workspace: id, kind: 'resume', session };
  };
  return (
    <>
      {lines.map(({ key, text }) => (
        <p key={key} className="banner banner-warn" role="status">
          <span aria-hidden="true">‖</span>
          <span>{text}</span>
          <Button barred={barred} onPress={() => set(goOn(key))}>
            {key === 'plan' ? 'Act mode' : 'Resume'}
          </Button>
        </p>
      ))}
      {trouble === null ? null : (
        <p className="banner banner-bad" role="alert">
          <span aria-hidden="true">!</span>
          <span>{trouble}</span>
        </p>
      )}
    </>
  );
}

/** In the opened status line: pause, and the rules in force in their own words. */
export function StandingList({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  const { snapshot } = usePanel();
  const [set, trouble] = useSetting();
  const { id, rules, standing } = workspace;
  const mayPause = snapshot.right === 'view' ? 'This device only reads.' : null;
  const mayRule = snapshot.right === 'approve-all' ? null : 'Rules need every right; this device has fewer.';
  const paused = standing?.pauses.some(({ session }) => session === null) === true;
  return (
    <>
      {standing === null || paused ? null : (
        <li>
          <Button barred={mayPause} onPress={() => set({ workspace: id, kind: 'pause', session: null })}>
            Pause
          </Button>
        </li>
      )}
      {rules.map((rule) => (
        <li key={rule.id}>
          {rule.text}. By {who(workspace, { type: 'device', device: rule.device, n: rule.n })}, {usesOf(rule)}.{' '}
          <Button barred={mayRule} onPress={() => set({ workspace: id, kind: 'rule.remove', rule: rule.id })}>
            Remove this rule
          </Button>
        </li>
      ))}
      {trouble === null ? null : <li role="alert">{trouble}</li>}
    </>
  );
}

function usesOf({ uses, usesMax }: LedgerRule): string {
  return usesMax === null ? `used ${uses} times` : `used ${uses} of ${usesMax} times`;
}

function who({ devices }: WorkspaceView, by: LedgerActor | null): string {
  return by?.type === 'device' ? nicknameOf(devices.get(by.device)?.nickname ?? by.device) : 'the runtime';
}

/** Signs and saves; what went wrong is said in place. */
function useSetting(): readonly [(setting: Setting) => void, string | null] {
  const { replica } = usePanel();
  const [trouble, setTrouble] = useState<string | null>(null);
  const set = (setting: Setting): void => {
    setTrouble(null);
    replica.set(setting).catch((thrown: unknown) => {
      // What cannot be saved or may not be is said; anything else is a bug and stays one.
      if (!CountersignError.is(thrown)) throw thrown;
      setTrouble(thrown.message);
    });
  };
  return [set, trouble];
}
