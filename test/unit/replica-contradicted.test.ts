import { describe, expect, test } from 'vitest';
import type { LedgerAction } from '../../src/model/ledger.ts';
import { badgesOf } from '../../src/panel/inbox/badges.ts';
import { createInbox } from '../../src/replica/inbox/create-inbox.ts';
import { ActionViews } from '../../src/replica/ledger/action-views.ts';
import type { Claim, WorkspaceView } from '../../src/replica/types.ts';
import { actionDraft } from '../support/doc-lab.ts';

const PATH = { kind: 'file.write', lane: 'x', target: 'a.txt', turn: 1 } as const;

function listsOf(records: readonly LedgerAction[], claims: readonly Claim[] = []) {
  const views = new ActionViews({ claimsOf: () => claims, cardOf: () => 'here' });
  for (const each of records) views.set(each);
  const lists = views.lists();
  // reason: the inbox reads nothing else of a workspace
  const workspace = { id: 'w', sessions: [], ...lists } as unknown as WorkspaceView;
  return { ...lists, inbox: createInbox()([workspace]) };
}

function record(seq: number, over: Partial<LedgerAction>): LedgerAction {
  return { ...(actionDraft(seq) as LedgerAction), ...PATH, place: seq, rev: seq, ...over };
}

describe('what late evidence denied', () => {
  test('[EF-6] waits for a person in the inbox, as an alarm, until somebody has answered it', () => {
    const denied = record(1, { state: 'applied', contradicted: true });
    const { inbox, open, settled } = listsOf([denied, record(2, { state: 'approved' })]);
    expect(settled).toEqual([]);
    expect(inbox).toMatchObject({ open: 2, needsYou: 1 });
    expect(badgesOf(open[0]!, () => undefined)).toContainEqual({ text: 'Contradicts what a person said', tone: 'bad' });
    expect(open[1]!.waitsFor, 'its lane stands').toEqual([denied.id]);
    const answered = listsOf([record(1, { state: 'applied', contradicted: false }), record(2, { state: 'approved' })]);
    expect(answered.settled.map((view) => view.record.seq)).toEqual([1]);
    expect(answered.inbox).toMatchObject({ open: 1, needsYou: 0 });
    expect(answered.open[0]!.waitsFor).toEqual([]);
  });

  test('[EF-6] is no step towards what the file will be', () => {
    const { inbox } = listsOf([record(1, { state: 'applied', contradicted: true }), record(2, { state: 'pending' })]);
    expect(inbox.sessions[0]!.changeSets[0]!.rows.map(({ steps }) => steps.length)).toEqual([1, 1]);
  });
});
