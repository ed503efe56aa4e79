import type { ActionId, WorkspaceId } from '../../model/ids.ts';
import type { Inbox, InboxSession } from '../../replica/inbox/create-inbox.ts';
import type { InboxRow } from '../../replica/inbox/rows.ts';

/** One line of the inbox, from the top of the page to its end. Keys are stable while what they stand for is there. */
export type InboxItem = SessionItem | SetItem | RowItem;

export interface SessionItem {
  readonly type: 'session';
  readonly key: string;
  readonly session: InboxSession;
  readonly ids: readonly ActionId[];
}

export interface SetItem {
  readonly type: 'set';
  readonly key: string;
  readonly turn: number;
  readonly workspace: WorkspaceId;
  /** Its last row, which *through here* goes up to. */
  readonly last: InboxRow;
  readonly ids: readonly ActionId[];
}

export interface RowItem {
  readonly type: 'row';
  readonly key: ActionId;
  readonly workspace: WorkspaceId;
  readonly row: InboxRow;
  readonly ids: readonly ActionId[];
}

export interface InboxFilter {
  readonly text: string;
  readonly workspace: WorkspaceId | null;
  /** Only what stands still without a person. */
  readonly needsYou: boolean;
}

export const NO_FILTER: InboxFilter = { text: '', workspace: null, needsYou: false };

/** The lines of an inbox. `only`: the actions a frozen list may show (PN-5). */
export function inboxItems(
  inbox: Inbox,
  filter: InboxFilter,
  only: ReadonlySet<ActionId> | null,
): readonly InboxItem[] {
  return inbox.sessions
    .filter(({ workspace }) => filter.workspace === null || filter.workspace === workspace)
    .flatMap((session) => itemsOf(session, filter, only));
}

function itemsOf(session: InboxSession, filter: InboxFilter, only: ReadonlySet<ActionId> | null): readonly InboxItem[] {
  const sets = session.changeSets
    .map(({ key, rows, turn }) => ({ key, turn, rows: rows.filter((row) => isShown(row, filter, only)) }))
    .filter(({ rows }) => rows.length > 0);
  if (sets.length === 0) return [];
  const head: SessionItem = {
    type: 'session',
    key: session.key,
    session,
    ids: sets.flatMap(({ rows }) => rows.flatMap(idsOf)),
  };
  const several = session.changeSets.length > 1;
  return [
    head,
    ...sets.flatMap(({ key, rows, turn }): readonly InboxItem[] => {
      const last = rows.at(-1);
      const { workspace } = session;
      const set: readonly SetItem[] =
        several && last !== undefined
          ? [{ type: 'set', key: `set ${key}`, turn, workspace, last, ids: rows.flatMap(idsOf) }]
          : [];
      return [...set, ...rows.map((row): RowItem => ({ type: 'row', key: row.key, workspace, row, ids: idsOf(row) }))];
    }),
  ];
}

function idsOf({ steps }: InboxRow): readonly ActionId[] {
  return steps.map(({ record }) => record.id);
}

function isShown(row: InboxRow, filter: InboxFilter, only: ReadonlySet<ActionId> | null): boolean {
  if (only !== null && !row.steps.some(({ record }) => only.has(record.id))) return false;
  if (filter.needsYou && row.needsYou === 0) return false;
  const wanted = filter.text.trim().toLowerCase();
  return wanted === '' || row.steps.some(({ record }) => fits(record, wanted));
}

function fits(record: InboxRow['steps'][number]['record'], wanted: string): boolean {
  if (/^#\d+$/.test(wanted)) return `#${record.seq}` === wanted;
  return [record.title, record.target, record.kind, record.tool, record.state].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}
