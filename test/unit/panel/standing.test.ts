import { createElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { DeviceId } from '../../../src/model/ids.ts';
import type { Right } from '../../../src/model/decision.ts';
import { PanelContext, type Panel } from '../../../src/panel/app/panel-context.ts';
import { badgesOf } from '../../../src/panel/inbox/badges.ts';
import { RuledBy } from '../../../src/panel/rule/ruled-by.tsx';
import { frozenIn, isFrozen } from '../../../src/panel/status/plan.ts';
import { StandingBanners, StandingList } from '../../../src/panel/status/standing.tsx';
import { exitsOf } from '../../../src/panel/words/exits.ts';
import type { WorkspaceView } from '../../../src/replica/types.ts';
import { idOf } from '../../support/panel-fixture-data.ts';
import { FixtureReplica } from '../../support/panel-fixture.ts';
import { richSet } from '../../support/panel-fixture-sets.ts';
import { LEDGER_RECORDS } from '../../support/wire/ledger-values.ts';

const PHONE = idOf<DeviceId>('d', 2);
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

/** Names of the buttons that do nothing. */
function barredIn(markup: string): readonly string[] {
  return [...markup.matchAll(/<button[^>]*aria-disabled="true"[^>]*>([^<]*)</g)].map(([, name]) => name ?? '');
}

test('[DR-8] [DR-10] plan mode and each pause are said, and only who has every right can end them', () => {
  const banners = (right: Right): string => shown(right, () => createElement(StandingBanners));
  expect(banners('approve-all').match(/Plan mode|Paused by|A session of/g)).toHaveLength(3);
  expect(banners('approve-all')).not.toContain('aria-disabled');
  const barred = barredIn(banners('reject-only'));
  expect(barred.filter((name) => !name.includes('anyway'))).toEqual(['Act mode', 'Resume', 'Resume']);
  expect(barred[0]).toBe('Apply anyway…');
  expect(banners('reject-only')).toMatch(/nothing begins\. \d+ approved actions? (?:is|are) frozen/);
});

test('[DR-2] a rule is listed in the words that were signed, and removed only with every right', () => {
  const list = (right: Right): string => shown(right, (workspace) => createElement(StandingList, { workspace }));
  expect(list('approve-all')).toContain('where File matches &quot;src/**/*.ts&quot;');
  expect(list('approve-all')).toContain('used 2 of 20 times');
  expect(list('approve-all')).not.toContain('aria-disabled');
  expect(barredIn(list('approve-reversible'))).toContain('Remove this rule');
});

test('[DR-8] who may stop things may switch to plan mode, and only every right switches back', () => {
  const list = (right: Right, mode: 'act' | 'plan'): readonly string[] =>
    barredIn(
      shown(right, (workspace) =>
        createElement(StandingList, {
          workspace: {
            ...workspace,
            rules: [],
            standing: standing === null ? null : { ...standing, mode, pauses: [] },
          },
        }),
      ),
    );
  expect(list('view', 'act')).toEqual(['Switch to plan mode', 'Pause']);
  expect(list('reject-only', 'act')).toEqual([]);
  expect(list('approve-reversible', 'plan')).toEqual(['Switch to act mode']);
  expect(list('approve-all', 'plan')).toEqual([]);
});

test('[DR-8] what is approved and frozen says so, and is let through by name, in its order, with every right', () => {
  const replica = new FixtureReplica(richSet(0), { nowMs: 0, legMs: null });
  const [before] = replica.snapshot().workspaces;
  const open = before!.open.map((view, at) => ({
    ...view,
    record: { ...view.record, state: at < 2 ? ('approved' as const) : view.record.state },
  }));
  const planning = { ...before!, open, standing };
  const [first, second] = open;
  expect(frozenIn(planning).slice(0, 2)).toEqual([first!.record.id, second!.record.id]);
  const said = { device: PHONE, nickname: 'phone', own: false, n: 1, kind: 'anyway', note: null, why: null } as const;
  const answered = { ...first!, claims: [{ ...said, state: 'sent' as const }] };
  expect(isFrozen(planning, first!) && !isFrozen(planning, answered), 'nobody is asked twice').toBe(true);
  const acting = { ...planning, standing: standing && { ...standing, mode: 'act' as const, hostPlans: [] } };
  expect(frozenIn(acting)).toEqual([]);
  const hosted = { ...acting, standing: acting.standing && { ...acting.standing, hostPlans: [first!.record.root] } };
  expect(isFrozen(hosted, first!)).toBe(true);
  expect(exitsOf(first!, 'approve-all', { frozen: true })[0]).toMatchObject({ kind: 'anyway', barred: null });
  expect(exitsOf(first!, 'approve-reversible', { frozen: true })[0]?.barred).toMatch(/every right/);
  expect(badgesOf(first!, () => 1, { frozen: true }).map(({ text }) => text)).toContain('Frozen by plan mode');
});

test('[DR-2] a card says which rule approved it, in its own words, and what that means when it is gone', () => {
  const [rule] = rules;
  const card = (over: Partial<WorkspaceView>, right: Right = 'approve-all'): string =>
    shown(right, (workspace) => {
      const [view] = workspace.settled;
      const record = { ...view!.record, by: { type: 'rule' as const, rule: rule!.id } };
      return createElement(RuledBy, {
        located: { view: { ...view!, record }, workspace: { ...workspace, ...over }, open: false },
      });
    });
  expect(card({ rules })).toContain('where File matches &quot;src/**/*.ts&quot;');
  expect(barredIn(card({ rules }, 'approve-reversible'))).toEqual(['Remove this rule']);
  expect(card({ rules: [] })).toContain('not in force any more');
});
