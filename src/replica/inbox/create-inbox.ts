import type { SessionId, WorkspaceId } from '../../model/ids.ts';
import type { LedgerSession } from '../../model/ledger.ts';
import { grouped } from '../grouped.ts';
import type { ActionView, WorkspaceView } from '../types.ts';
import { rowsOf, type InboxRow } from './rows.ts';

/** Everything open, as people review it: sessions → change sets → one row a target. */
export interface Inbox {
  readonly sessions: readonly InboxSession[];
  readonly open: number;
  readonly needsYou: number;
}

/** What one root session has open, its children's work with it. */
export interface InboxSession {
  /** `<workspace>/<root session>`. */
  readonly key: string;
  readonly workspace: WorkspaceId;
  readonly root: SessionId;
  /** `null` when the ledger says nothing of it any more. */
  readonly session: LedgerSession | null;
  readonly changeSets: readonly ChangeSet[];
  readonly open: number;
  readonly needsYou: number;
}

/** What one turn made. */
export interface ChangeSet {
  /** `<root session>/<turn>`, as the command line names it. */
  readonly key: string;
  readonly turn: number;
  readonly rows: readonly InboxRow[];
  readonly open: number;
  readonly needsYou: number;
}

interface Remembered {
  readonly views: readonly ActionView[];
  readonly made: InboxSession;
}

/**
 * Makes the inbox of a snapshot, again and again: a session whose actions did not change stays the same object, and
 * so does a change set.
 */
export function createInbox(): (workspaces: readonly WorkspaceView[]) => Inbox {
  let remembered: ReadonlyMap<string, Remembered> = new Map();
  return (workspaces) => {
    const next = new Map<string, Remembered>();
    for (const workspace of workspaces) {
      for (const [root, views] of byRoot(workspace.open)) {
        const key = `${workspace.id}/${root}`;
        next.set(key, sessionOf(key, workspace, root, views, remembered.get(key)));
      }
    }
    remembered = next;
    const sessions = [...next.values()].map(({ made }) => made).toSorted(whoNeedsYouFirst);
    return { sessions, open: sum(sessions, (each) => each.open), needsYou: sum(sessions, (each) => each.needsYou) };
  };
}

function byRoot(open: readonly ActionView[]): ReadonlyMap<SessionId, readonly ActionView[]> {
  return grouped(open, (view) => view.record.root);
}

function sessionOf(
  key: string,
  workspace: WorkspaceView,
  root: SessionId,
  views: readonly ActionView[],
  before: Remembered | undefined,
): Remembered {
  const session = workspace.sessions.find((each) => each.id === root) ?? null;
  if (before !== undefined && before.made.session === session && sameItems(before.views, views)) return before;
  const sets = grouped(views, (view) => view.record.turn);
  const changeSets = [...sets].map(([turn, members]) => {
    const made = changeSetOf(root, turn, members, views);
    const known = before?.made.changeSets.find((each) => each.turn === turn);
    return known !== undefined && sameSet(known, made) ? known : made;
  });
  return {
    views,
    made: {
      key,
      workspace: workspace.id,
      root,
      session,
      changeSets,
      open: views.length,
      needsYou: sum(changeSets, (each) => each.needsYou),
    },
  };
}

function changeSetOf(
  root: SessionId,
  turn: number,
  members: readonly ActionView[],
  session: readonly ActionView[],
): ChangeSet {
  const rows = rowsOf(members, session);
  return { key: `${root}/${turn}`, turn, rows, open: members.length, needsYou: sum(rows, (row) => row.needsYou) };
}

/** Rows are made of their steps and of what stands between them; nothing else. */
function sameSet(a: ChangeSet, b: ChangeSet): boolean {
  return (
    a.rows.length === b.rows.length &&
    a.rows.every((row, at) => {
      const other = b.rows[at];
      return other !== undefined && sameItems(row.steps, other.steps) && sameItems(row.straddles, other.straddles);
    })
  );
}

/** Who needs a person stands first; among equals whoever has waited longest. Ids keep it steady. */
function whoNeedsYouFirst(a: InboxSession, b: InboxSession): number {
  const needs = Number(b.needsYou > 0) - Number(a.needsYou > 0);
  return needs || waitsSinceMs(a) - waitsSinceMs(b) || (a.key < b.key ? -1 : 1);
}

function waitsSinceMs({ changeSets }: InboxSession): number {
  return changeSets[0]?.rows[0]?.steps[0]?.record.proposedAtMs ?? 0;
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}
