import type { ActionId } from '../../model/ids.ts';
import type { Inbox } from '../../replica/inbox/create-inbox.ts';
import type { InboxRow } from '../../replica/inbox/rows.ts';
import type { Located } from '../inbox/located.ts';

/** The row an action is a step of; one that is settled is a row by itself. */
export function rowAround(id: ActionId, { open, view, workspace }: Located, inbox: Inbox): InboxRow {
  const alone: InboxRow = { key: id, target: view.record.target, steps: [view], needsYou: 0, straddles: [], flags: [] };
  if (!open) return alone;
  return (
    inbox.sessions
      .filter((session) => session.workspace === workspace.id && session.root === view.record.root)
      .flatMap(({ changeSets }) => changeSets)
      .filter(({ turn }) => turn === view.record.turn)
      .flatMap(({ rows }) => rows)
      .find(({ steps }) => steps.some(({ record }) => record.id === id)) ?? alone
  );
}
