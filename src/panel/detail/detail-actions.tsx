import type { ReactNode } from 'react';
import { askFor, lookOver } from '../app/ask-for.ts';
import { usePanel } from '../app/panel-context.ts';
import type { InboxRow } from '../../replica/inbox/rows.ts';
import { throughRow } from '../../replica/inbox/through.ts';
import { isTickable, standing } from '../inbox/located.ts';
import { leadOf } from '../inbox/row.tsx';
import { Button } from '../parts/button.tsx';
import { useArmed } from '../parts/use-armed.ts';
import { RuleButton } from '../rule/rule-button.tsx';
import { isFrozen } from '../status/plan.ts';
import { exitsOf } from '../words/exits.ts';

const HOTKEYS: Readonly<Record<string, string>> = { approve: 'a', reject: 'r', change: 'c', hold: 'h', retract: 'u' };

interface DetailActionsProps {
  readonly row: InboxRow;
  /** Changes whenever what is shown above changed. */
  readonly layout: string;
}

/** What may be done with the row, under the thumb. */
export function DetailActions({ layout, row }: DetailActionsProps): ReactNode {
  const panel = usePanel();
  const armed = useArmed(layout);
  const lead = leadOf(row.steps);
  const kept = panel.gesturesState.keptBack.has(lead.record.id);
  const located = panel.index.get(lead.record.id);
  const frozen = located !== undefined && isFrozen(located.workspace, lead);
  const exits = kept ? [] : exitsOf(lead, panel.snapshot.right, { frozen });
  const ids = row.steps.filter(({ record }) => record.state === lead.record.state).map(({ record }) => record.id);
  const open = located?.workspace.open ?? [];
  const through = throughRow(open.filter(isTickable), row);
  const before = through.filter((id) => !ids.includes(id)).length;
  if (exits.length === 0) return null;
  return (
    <footer className="detail-actions" aria-label="Decide">
      {exits.map((exit) => (
        <Button
          key={exit.label}
          look={exit.weight}
          armed={armed}
          barred={exit.barred}
          hotkey={HOTKEYS[exit.kind] ?? ''}
          onPress={() => askFor(panel, exit, ids)}
        >
          {exit.label}
          {ids.length > 1 && exit.weight === 'main' && exit.kind !== 'change' ? ` ${ids.length} steps` : ''}
        </Button>
      ))}
      {before > 0 && lead.record.state === 'pending' && standing(lead) === undefined ? (
        <Button armed={armed} onPress={() => lookOver(panel, { kind: 'approve', ids: through })}>
          Approve through here
        </Button>
      ) : null}
      {located === undefined ? null : <RuleButton armed={armed} located={located} />}
    </footer>
  );
}
