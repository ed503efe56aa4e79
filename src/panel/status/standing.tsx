import type { ReactNode } from 'react';
import type { LedgerActor, LedgerRule } from '../../model/ledger.ts';
import { display } from '../../model/display.ts';
import type { Setting, WorkspaceView } from '../../replica/types.ts';
import { lookOver } from '../app/ask-for.ts';
import { usePanel } from '../app/panel-context.ts';
import { useSetting } from '../app/use-setting.ts';
import { Button } from '../parts/button.tsx';
import { Name, Shown } from '../parts/shown.tsx';
import { NO_RULE_RIGHT } from '../rule/rule-offer.ts';
import { nicknameOf } from '../words/claim-words.ts';
import { agoWords, counted, timeWords } from '../words/counts.ts';
import { ANYWAY_MEANS, frozenIn } from './plan.ts';

const NO_GO_ON = 'Only a device with every right lets things go on; this one has fewer.';

/** What somebody has set for everything that waits: said before the list it rules over. */
export function StandingBanners(): ReactNode {
  const { snapshot } = usePanel();
  return snapshot.workspaces.map((workspace) => <Standing key={workspace.id} workspace={workspace} />);
}

interface Line {
  readonly key: string;
  readonly text: string;
  readonly ends: 'Act mode' | 'Resume';
  readonly setting: Setting;
}

function Standing({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  const { snapshot } = usePanel();
  const { set, trouble } = useSetting();
  const barred = snapshot.right === 'approve-all' ? null : NO_GO_ON;
  const lines = linesOf(workspace);
  const frozen = frozenIn(workspace).length;
  const named = snapshot.workspaces.length > 1;
  return (
    <>
      {lines.map(({ ends, key, setting, text }, at) => (
        <div key={key} className="banner banner-warn" role="status">
          <span aria-hidden="true">‖</span>
          <span>
            {named ? (
              <>
                <Name text={workspace.name} maxChars={64} />:{' '}
              </>
            ) : null}
            {text}
            {frozen > 0 && at === 0
              ? ` ${counted(frozen, 'approved action')} ${frozen === 1 ? 'is' : 'are'} frozen.`
              : ''}
            {barred === null ? '' : ` ${barred}`}
          </span>
          {at === 0 ? <Anyway workspace={workspace} barred={barred} /> : null}
          <Button barred={barred} onPress={() => set(setting)}>
            {ends}
          </Button>
        </div>
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

/** Plan mode first, of the person, then of programs; then each pause. */
function linesOf(workspace: WorkspaceView): readonly Line[] {
  const { id, sessions, standing } = workspace;
  if (standing === null) return [];
  const act: Pick<Line, 'ends' | 'setting'> = {
    ends: 'Act mode',
    setting: { workspace: id, kind: 'mode', mode: 'act' },
  };
  const clientOf = (session: string): string =>
    display(sessions.find((each) => each.id === session)?.client ?? 'an agent', { maxChars: 64 }).text;
  const plan =
    standing.mode === 'plan'
      ? [`Plan mode, set by ${who(workspace, standing.modeBy)}: nothing is queued, nothing begins.`]
      : standing.hostPlans.map(
          (session) =>
            `Plan mode for ${clientOf(session)}, set by the program it runs in: nothing of it is queued, nothing begins.`,
        );
  return [
    ...plan.map((text, at) => ({ key: `plan ${at}`, text, ...act })),
    ...standing.pauses.map(({ by, session }): Line => ({
      key: session ?? 'all',
      text: `${session === null ? 'Paused' : `A session of ${clientOf(session)} is paused`} by ${who(workspace, by)}: nothing begins, and agents go on queueing.`,
      ends: 'Resume',
      setting: { workspace: id, kind: 'resume', session },
    })),
  ];
}

interface AnywayProps {
  readonly workspace: WorkspaceView;
  readonly barred: string | null;
}

/** DR-8: what was approved and stays frozen can be let through, as a list that names each. */
function Anyway({ barred, workspace }: AnywayProps): ReactNode {
  const panel = usePanel();
  const frozen = frozenIn(workspace);
  if (frozen.length === 0) return null;
  const label = frozen.length === 1 ? 'Apply this anyway' : 'Apply these anyway';
  return (
    <Button
      barred={barred}
      onPress={() => lookOver(panel, { kind: 'anyway', ids: frozen, label, means: ANYWAY_MEANS })}
    >
      Apply anyway…
    </Button>
  );
}

/** In the opened status line: plan or act, pause, and the rules in force in their own words. */
export function StandingList({ workspace }: { readonly workspace: WorkspaceView }): ReactNode {
  const { nowMs, snapshot } = usePanel();
  const { set, trouble } = useSetting();
  const { id, rules, standing } = workspace;
  const mayStop = snapshot.right === 'view' ? 'This device only reads.' : null;
  const mayRule = snapshot.right === 'approve-all' ? null : NO_RULE_RIGHT;
  const paused = standing?.pauses.some(({ session }) => session === null) === true;
  return (
    <>
      {standing === null ? null : <ModeSwitch workspace={workspace} set={set} mayStop={mayStop} />}
      {standing === null || paused ? null : (
        <li className="status-set">
          <Button barred={mayStop} onPress={() => set({ workspace: id, kind: 'pause', session: null })}>
            Pause
          </Button>
          <span className="hint">Agents go on queueing; nothing is applied until it is resumed.</span>
        </li>
      )}
      {rules.map((rule) => (
        <li key={rule.id} className="status-set">
          <span>
            <Shown text={rule.text} maxChars={4_096} />. By{' '}
            {who(workspace, { type: 'device', device: rule.device, n: rule.n })}, {agoWords(rule.addedAtMs, nowMs)},{' '}
            {usesOf(rule)}
            {rule.expiresAtMs === null ? '' : `, until ${timeWords(rule.expiresAtMs)}`}.
          </span>
          <Button barred={mayRule} onPress={() => set({ workspace: id, kind: 'rule.remove', rule: rule.id })}>
            Remove this rule
          </Button>
        </li>
      ))}
      {trouble === null ? null : <li role="alert">{trouble}</li>}
    </>
  );
}

interface ModeSwitchProps {
  readonly workspace: WorkspaceView;
  readonly set: (setting: Setting) => void;
  readonly mayStop: string | null;
}

/** Whoever may stop things may switch to plan mode; back needs every right. */
function ModeSwitch({ mayStop, set, workspace: { id, standing } }: ModeSwitchProps): ReactNode {
  const { snapshot } = usePanel();
  const planning = standing?.mode === 'plan';
  const mayAct = snapshot.right === 'approve-all' ? null : NO_GO_ON;
  return (
    <li className="status-set">
      <Button
        barred={planning ? mayAct : mayStop}
        onPress={() => set({ workspace: id, kind: 'mode', mode: planning ? 'act' : 'plan' })}
      >
        {planning ? 'Switch to act mode' : 'Switch to plan mode'}
      </Button>
      <span className="hint">
        {planning
          ? 'In act mode agents queue their work, and what is approved is applied.'
          : 'In plan mode agents read and plan; nothing is queued and nothing begins.'}
      </span>
    </li>
  );
}

function usesOf({ uses, usesMax }: LedgerRule): string {
  return usesMax === null ? `used ${counted(uses, 'time')}` : `used ${uses} of ${counted(usesMax, 'time')}`;
}

function who({ devices }: WorkspaceView, by: LedgerActor | null): string {
  return by?.type === 'device' ? nicknameOf(devices.get(by.device)?.nickname ?? by.device) : 'the runtime';
}
