import type { ReactNode } from 'react';
import type { ActionId } from '../../model/ids.ts';
import { usePanel } from '../app/panel-context.ts';
import { askFor, lookOver } from '../app/ask-for.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Shown } from '../parts/shown.tsx';
import { RuleButton } from '../rule/rule-button.tsx';
import { isFrozen } from '../status/plan.ts';
import { exitsOf } from '../words/exits.ts';
import { throughRow } from '../../replica/inbox/through.ts';
import type { RowItem } from './inbox-items.ts';
import { isTickable } from './located.ts';
import { leadOf } from './row.tsx';

/** Everything that may be done with one row, each as large as a finger. */
export function RowMenu({ item, onClose }: { readonly item: RowItem; readonly onClose: () => void }): ReactNode {
  const panel = usePanel();
  const lead = leadOf(item.row.steps);
  const located = panel.index.get(lead.record.id);
  const frozen = located !== undefined && isFrozen(located.workspace, lead);
  const open = panel.snapshot.workspaces.find(({ id }) => id === item.workspace)?.open ?? [];
  const through = throughRow(open.filter(isTickable), item.row);
  const run = (act: () => void) => () => {
    onClose();
    act();
  };
  return (
    <Dialog
      title={
        <>
          #{lead.record.seq} <Shown text={lead.record.title} maxChars={120} />
        </>
      }
      onClose={onClose}
    >
      <div className="menu">
        {exitsOf(lead, panel.snapshot.right, { frozen }).map((exit) => (
          <Button
            key={exit.label}
            look={exit.weight}
            barred={exit.barred}
            onPress={run(() => askFor(panel, exit, stepsFor(item, lead.record.id)))}
          >
            {exit.label}
          </Button>
        ))}
        {through.length > 1 ? (
          <Button onPress={run(() => lookOver(panel, { kind: 'approve', ids: through }))}>
            Approve through here ({through.length})
          </Button>
        ) : null}
        {located === undefined ? null : <RuleButton located={located} onPress={onClose} />}
        <Button onPress={run(() => panel.dispatch({ type: 'open', id: item.key }))}>Details</Button>
      </div>
    </Dialog>
  );

  /** A decision about a row is about all its steps that stand where the one that speaks for it stands. */
  function stepsFor(row: RowItem, id: ActionId): readonly ActionId[] {
    const state = panel.index.get(id)?.view.record.state;
    return row.ids.filter((step) => panel.index.get(step)?.view.record.state === state);
  }
}
