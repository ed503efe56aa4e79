import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { Right } from '../../../src/model/decision.ts';
import { PanelContext, type Panel } from '../../../src/panel/app/panel-context.ts';
import { StandingBanners, StandingList } from '../../../src/panel/status/standing.tsx';
import type { WorkspaceView } from '../../../src/replica/types.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';
import { LEDGER_RECORDS } from '../../support/wire/ledger-values.ts';

const standing = LEDGER_RECORDS.find((record) => record.type === 'standing') ?? null;
const rules = LEDGER_RECORDS.filter((record) => record.type === 'rule');

/** What of it a person reads, as markup; nothing is pressed here. */
function shown(right: Right, part: (workspace: WorkspaceView) => ReactNode): string {
  const replica = new FixtureReplica(richSet(0), { nowMs: 0, legMs: null });
  const before = replica.snapshot();
  const workspaces = before.workspaces.map((workspace) => ({ ...workspace, standing, rules }));
  // reason: these parts read the replica and its snapshot, and nothing else of the panel
  const panel = { replica, snapshot: { ...before, right, workspaces } } as unknown as Panel;
  const [workspace] = workspaces;
  if (workspace === undefined) throw new Error('the fixture has a workspace');
  return renderToStaticMarkup(createElement(PanelContext, { value: panel }, part(workspace)));
}

test('[DR-8] [DR-10] plan mode and each pause are said, and only who has every right can end them', () => {
  const banners = (right: Right): string => shown(right, () => createElement(StandingBanners));
  expect(banners('approve-all').match(/Plan mode|Paused by|A session is paused/g)).toHaveLength(3);
  expect(banners('approve-all')).not.toContain('aria-disabled');
  expect(banners('reject-only').match(/aria-disabled="true"/g)).toHaveLength(3);
});

test('[DR-2] a rule is listed in the words that were signed, and removed only with every right', () => {
  const list = (right: Right): string => shown(right, (workspace) => createElement(StandingList, { workspace }));
  expect(list('approve-all')).toContain('where File matches &quot;src/**/*.ts&quot;');
  expect(list('approve-all')).toContain('used 2 of 20 times');
  expect(list('approve-all')).not.toContain('aria-disabled');
  expect(list('approve-reversible').match(/aria-disabled="true"/g)).toHaveLength(1);
});
