import { describe, expect, test } from 'vitest';
import { ruleText } from '../../src/model/rule-text.ts';
import type { RuleWish } from '../../src/model/rules.ts';
import type { Replica } from '../../src/replica/index.ts';
import { replicaLab, viewOf, workspaceOf, WORKSPACE_ID } from '../support/replica-lab.ts';
import { named } from '../support/rule-wish.ts';
import { put } from '../support/workshop.ts';

const workspace = WORKSPACE_ID;

/** A rule for notes, of what the ledger says of their kind. */
function ruleFor(replica: Replica, glob: string): RuleWish {
  const kind = workspaceOf(replica).kinds.find(({ tag }) => tag === 'note.put');
  if (kind === undefined) throw new Error('the replica knows no notes');
  const wish = { where: [named(glob)], forMs: null, usesMax: 2 };
  return { ...wish, kind: kind.tag, toolDigest: kind.toolDigest, text: ruleText(kind, wish) };
}

describe('what a device sets for the workspace', () => {
  test('[DR-2] a rule made on one device approves, and is read on every one in the words that were signed', async () => {
    const lab = await replicaLab({ devices: { phone: {}, tablet: {} } });
    const { phone, tablet } = lab.devices;
    const [one, other] = [await phone!.window(), await tablet!.window()];
    const port = await lab.agent();
    await put(port, 'a1', 'x');
    await lab.settle();
    const rule = ruleFor(one, 'a*');
    await one.set({ workspace, kind: 'rule.add', rule });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a1=x']);
    const [shown] = workspaceOf(other).rules;
    expect(viewOf(other, 1).record.by).toEqual({ type: 'rule', rule: shown!.id });
    expect(shown).toMatchObject({ text: rule.text, device: phone!.id, uses: 1, usesMax: 2 });
    await other.set({ workspace, kind: 'rule.remove', rule: shown!.id });
    await lab.settle();
    expect(workspaceOf(one).rules).toEqual([]);
    expect(one.snapshot().outgoing).toEqual([]);
    expect([phone, tablet].flatMap((device) => device!.faults)).toEqual([]);
  });

  test('[DR-10] a pause shows on every device, and what is approved says why it waits', async () => {
    const lab = await replicaLab({ devices: { phone: { right: 'reject-only' }, tablet: {} } });
    const { phone, tablet } = lab.devices;
    const [weak, strong] = [await phone!.window(), await tablet!.window()];
    const port = await lab.agent();
    await put(port, 'a', 'x');
    await lab.settle();
    await weak.set({ workspace, kind: 'pause', session: null });
    await lab.settle();
    await strong.decide({ workspace, kind: 'approve', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(workspaceOf(strong).standing?.pauses).toMatchObject([{ session: null, by: { device: phone!.id } }]);
    expect(viewOf(strong, 1).record).toMatchObject({ state: 'approved', why: expect.stringContaining('is paused by') });
    await expect(weak.set({ workspace, kind: 'resume', session: null })).rejects.toThrow('approve-all');
    await strong.set({ workspace, kind: 'resume', session: null });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=x']);
    expect(workspaceOf(weak).standing?.pauses).toEqual([]);
  });

  test('[DR-8] plan mode is switched from a device, and its list is applied anyway', async () => {
    const lab = await replicaLab({ devices: { phone: { right: 'reject-only' }, tablet: {} } });
    const { phone, tablet } = lab.devices;
    const [weak, strong] = [await phone!.window(), await tablet!.window()];
    const port = await lab.agent();
    for (const name of ['a', 'b']) await put(port, name, 'x');
    await lab.settle();
    await weak.set({ workspace, kind: 'mode', mode: 'plan' });
    await lab.settle();
    await strong.decide({ workspace, kind: 'approve', ids: [lab.idOf(1), lab.idOf(2)] });
    await lab.settle();
    expect(workspaceOf(strong).standing).toMatchObject({ mode: 'plan', modeBy: { device: phone!.id } });
    expect(lab.shelf.effects).toEqual([]);
    await strong.decide({ workspace, kind: 'anyway', ids: [lab.idOf(1)] });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=x']);
    await expect(weak.set({ workspace, kind: 'mode', mode: 'act' })).rejects.toThrow('approve-all');
    await strong.set({ workspace, kind: 'mode', mode: 'act' });
    await lab.settle();
    expect(lab.shelf.effects).toEqual(['a=x', 'b=x']);
  });

  test('[DR-2] a rule for a tool that the ledger does not show is not signed', async () => {
    const lab = await replicaLab();
    const replica = await lab.devices['phone']!.window();
    await lab.agent();
    await lab.settle();
    const rule = { ...ruleFor(replica, 'a*'), kind: 'peer.ask' };
    await expect(replica.set({ workspace, kind: 'rule.add', rule })).rejects.toThrow('another one by now');
    expect(replica.snapshot().outgoing).toEqual([]);
  });
});
